#include "extension.h"

#include <sys/mman.h>

#include "access/heapam.h"
#include "catalog/pg_am_d.h"
#include "access/tableam.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/fd.h"
#include "utils/snapmgr.h"
#if PG_VERSION_NUM >= 140000
#include "utils/wait_event.h"
#endif

/*
 * Reading the packed copy. Block b is the one tuple of page b: blocks are longer than half a page, all of one length,
 * and were written in order. Each carries its number, which is checked.
 *
 * The server counts pages read, for EXPLAIN (BUFFERS) and for views open to everyone. How often rows are read can
 * depend on them (steps of a minimiser) or be secret (runs of a tuning). So every page is read once, before the first
 * pass, and passes are made over a copy nothing counts: in memory, or beyond sotto.rows_in_memory in a temporary file.
 * The library reads all blocks in ascending order first where they are kept in memory; of a file the first one asked
 * for has all of them copied.
 */

/* What fits a page beside page header, line pointer, tuple header, block number and length word. */
#define BLOCK_ROOM ((Size)(MaxHeapTupleSize - MAXALIGN(SizeofHeapTupleHeader) - sizeof(int32) - VARHDRSZ) & ~(Size)7)

uint32 packed_block_rows(uint32 features) { return (uint32)(BLOCK_ROOM / (sizeof(float) * ((Size)features + 1))); }

Size packed_block_bytes(uint32 features) {
  return packed_block_rows(features) * sizeof(float) * ((Size)features + 1);
}

static uint64 block_count(const Registered *dataset) {
  return (dataset->facts.rows + dataset->block_rows - 1) / dataset->block_rows;
}

void packed_open(PackedRows *rows, Host *host, const Registered *dataset) {
  rows->host = host;
  rows->relation = table_open(block_table(dataset), AccessShareLock);
  rows->snapshot = RegisterSnapshot(GetActiveSnapshot());
  rows->slot = table_slot_create(rows->relation, NULL);
  rows->block_bytes = packed_block_bytes(dataset->facts.features);
  rows->blocks = block_count(dataset);
  rows->in_memory = false;
  rows->copied = 0;
  rows->memory = NULL;
  rows->file = -1;
  /* Before anything is charged: the copy has the shape it was given. */
  if (rows->relation->rd_rel->relam != HEAP_TABLE_AM_OID || dataset->block_rows != packed_block_rows(dataset->facts.features) ||
      RelationGetNumberOfBlocks(rows->relation) != block_count(dataset))
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("the packed copy of data set \"%s\" is not as it was written", dataset->name),
                    errhint("Run sotto.refresh.")));
}

void packed_close(PackedRows *rows) {
  if (rows->memory != NULL) pfree(rows->memory);
  if (rows->file >= 0) FileClose(rows->file);
  ExecDropSingleTupleTableSlot(rows->slot);
  UnregisterSnapshot(rows->snapshot);
  table_close(rows->relation, AccessShareLock);
}

static const char *stored_block(PackedRows *rows, uint64 block) {
  ItemPointerData place;
  bool null_number = true;
  bool null_bytes = true;
  bool there;
  struct varlena *bytes = NULL;
  int32 number = -1;

  ItemPointerSet(&place, (BlockNumber)block, FirstOffsetNumber);
  there = table_tuple_fetch_row_version(rows->relation, &place, rows->snapshot, rows->slot);
  if (there) {
    number = DatumGetInt32(slot_getattr(rows->slot, 1, &null_number));
    bytes = (struct varlena *)DatumGetPointer(slot_getattr(rows->slot, 2, &null_bytes));
  }
  if (!there || null_number || null_bytes || (uint64)number != block || !VARATT_IS_4B_U(bytes) ||
      VARSIZE(bytes) - VARHDRSZ != rows->block_bytes)
    ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("the packed copy of a data set is not as it was written")));
  return VARDATA(bytes);
}

/* Fewer faults where the system has large pages; none of it matters if it has not. */
static void ask_for_large_pages(char *memory, Size size) {
#ifdef MADV_HUGEPAGE
  const uintptr_t large = 2 * 1024 * 1024;
  uintptr_t first = ((uintptr_t)memory + large - 1) & ~(large - 1);
  uintptr_t last = ((uintptr_t)memory + size) & ~(large - 1);

  if (first < last) (void)madvise((void *)first, last - first, MADV_HUGEPAGE);
#endif
}

static void make_room(PackedRows *rows) {
  Size size = rows->blocks * rows->block_bytes;

  rows->in_memory = size <= rows_in_memory();
  /* A block is wanted at a time from a file, all of them otherwise. */
  rows->memory = MemoryContextAllocHuge(rows->host->context, rows->in_memory ? size : rows->block_bytes);
  if (rows->in_memory)
    ask_for_large_pages(rows->memory, size);
  else
    rows->file = OpenTemporaryFile(false);
}

/* The next one. */
static void copy_block(PackedRows *rows) {
  const char *bytes = stored_block(rows, rows->copied);
  Size at = rows->copied * rows->block_bytes;

  CHECK_FOR_INTERRUPTS();
  memcpy(rows->memory + (rows->in_memory ? at : 0), bytes, rows->block_bytes);
  if (!rows->in_memory && FileWrite(rows->file, rows->memory, (int)rows->block_bytes, (off_t)at,
                                    WAIT_EVENT_BUFFILE_WRITE) != (int)rows->block_bytes)
    ereport(ERROR, (errcode_for_file_access(), errmsg("the rows cannot be written to a temporary file")));
  if (++rows->copied == rows->blocks) ExecClearTuple(rows->slot);
}

static void fetch(void *context) {
  PackedRows *rows = context;
  Size at = rows->block * rows->block_bytes;

  CHECK_FOR_INTERRUPTS();
  if (rows->block >= rows->blocks) elog(ERROR, "there is no such block");
  if (rows->memory == NULL) make_room(rows);
  while (rows->copied < (rows->in_memory ? rows->block + 1 : rows->blocks)) copy_block(rows);
  if (!rows->in_memory && FileRead(rows->file, rows->memory, (int)rows->block_bytes, (off_t)at,
                                   WAIT_EVENT_BUFFILE_READ) != (int)rows->block_bytes)
    ereport(ERROR, (errcode_for_file_access(), errmsg("the rows cannot be read from a temporary file")));
  rows->bytes = (const float *)(rows->memory + (rows->in_memory ? at : 0));
}

static void room(void *context) {
  PackedRows *rows = context;

  if (rows->memory == NULL) make_room(rows);
}

static int all_blocks(void *context, float **bytes) {
  PackedRows *rows = context;

  if (host_protect(rows->host, room, rows) != 0) return 1;
  *bytes = rows->in_memory ? (float *)rows->memory : NULL;
  return 0;
}

static int read_block(void *context, uint64_t block, const float **bytes) {
  PackedRows *rows = context;

  rows->block = block;
  if (host_protect(rows->host, fetch, rows) != 0) return 1;
  *bytes = rows->bytes;
  return 0;
}

static int poll(void *context) { return host_poll(((PackedRows *)context)->host); }

sotto_rows packed_rows(PackedRows *rows, const Registered *dataset) {
  sotto_rows result;

  result.context = rows;
  result.facts = dataset->facts;
  result.block_rows = dataset->block_rows;
  result.fingerprint = dataset->fingerprint;
  result.sum = NULL;
  result.read = read_block;
  result.poll = poll;
  result.all = all_blocks;
  return result;
}
