#include "extension.h"

#include "access/heapam.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/*
 * From a table to encoded rows: in memory, or in the blocks of a packed copy. read_table.c says who reads them and how.
 */

static void free_encoder(void *encoder) { sotto_encoder_free(encoder); }

/* Freed with the current memory context, however that ends. */
static void keep_encoder(sotto_encoder *encoder) {
  MemoryContextCallback *callback = palloc0(sizeof(MemoryContextCallback));

  callback->func = free_encoder;
  callback->arg = encoder;
  MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
}

/* The declared columns in their order. */
char **declared_columns(const char *features, int *count) {
  Oid types[1] = {TEXTOID};
  Datum values[1] = {CStringGetTextDatum(features)};
  MemoryContext caller = CurrentMemoryContext;
  MemoryContext inside;
  char **keys;

  SPI_connect();
  if (SPI_execute_with_args("SELECT pg_catalog.json_object_keys($1::pg_catalog.json)", 1, types, values, NULL, true,
                            0) != SPI_OK_SELECT)
    elog(ERROR, "the declared columns cannot be read");
  inside = MemoryContextSwitchTo(caller);
  *count = (int)SPI_processed;
  keys = palloc(sizeof(char *) * (SPI_processed + 1));
  for (uint64 i = 0; i < SPI_processed; ++i)
    keys[i] = pstrdup(SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1));
  MemoryContextSwitchTo(inside);
  SPI_finish();
  return keys;
}

sotto_encoder *encoder_open(const char *schema, const char *label, const char *features, sotto_label_use use,
                            int *column_count, char ***columns) {
  sotto_encoder *encoder = NULL;
  sotto_error error;
  sotto_status status;
  char **names = declared_columns(features, column_count);
  const char **all = palloc(sizeof(char *) * (*column_count + 1));

  for (int i = 0; i < *column_count; ++i) all[i] = names[i];
  all[*column_count] = label;
  status = sotto_encoder_new(schema, all, *column_count + 1, use, &encoder, &error);
  host_check(NULL, status, &error);
  keep_encoder(encoder);
  *columns = names;
  return encoder;
}

/* How the rows that are read become vectors. */
typedef struct Encoding {
  sotto_encoder *encoder;
  float *row;
  take_row take;
  void *taker;
} Encoding;

static void encode_row(void *context, const TableRow *read) {
  Encoding *encoding = context;
  float label = 1;
  sotto_status status;

  if (read->numbers != NULL)
    status = sotto_encode_values(encoding->encoder, read->numbers, read->number_count, read->label, encoding->row, &label);
  else
    status = sotto_encode_cells(encoding->encoder, read->cells, encoding->row, &label);
  if (status != SOTTO_OK) ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
  encoding->take(encoding->taker, encoding->row, label);
}

void encode_table(const TableToRead *table, sotto_encoder *encoder, take_row take, void *taker) {
  Encoding encoding = {encoder, NULL, take, taker};

  encoding.row = palloc0(sizeof(float) * (Size)sotto_encoder_facts(encoder).features);
  read_table(table, sotto_encoder_values(encoder), encode_row, &encoding);
}

#define LEAST_ROOM ((Size)64 * 1024 * 1024)

/* A view can have any number of rows, and memory of this size is taken from everyone. */
static void require_room(const CollectedRows *all) {
  Size bytes = sizeof(float) * 2 * all->room * ((Size)all->features + 1);

  if (bytes <= Max(rows_in_memory(), LEAST_ROOM)) return;
  ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                  errmsg("the table has more rows than sotto.rows_in_memory has room for"),
                  errhint("sotto.score_cells and sotto.score_array keep no rows.")));
}

static void collect(void *context, const float *row, float label) {
  CollectedRows *all = context;

  if (all->judging != NULL && !sotto_encoder_usable(all->judging)) {
    ++all->unusable;
    return;
  }
  if (all->count == all->room) {
    require_room(all);
    all->room *= 2;
    all->labels = repalloc_huge(all->labels, sizeof(float) * all->room);
    all->rows = repalloc_huge(all->rows, sizeof(float) * all->room * all->features);
  }
  all->labels[all->count] = label;
  memcpy(all->rows + all->count * all->features, row, sizeof(float) * all->features);
  ++all->count;
}

void collect_table(const TableToRead *table, sotto_encoder *encoder, bool usable, CollectedRows *all) {
  all->features = sotto_encoder_facts(encoder).features;
  all->count = 0;
  all->judging = usable ? encoder : NULL;
  all->unusable = 0;
  all->room = 1024;
  all->labels = palloc(sizeof(float) * all->room);
  all->rows = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(float) * all->room * all->features);
  encode_table(table, encoder, collect, all);
}

/* Rows on their way into blocks of the packed copy. */
typedef struct Packer {
  Relation target;
  BulkInsertState bulk;
  TupleTableSlot *slot;
  uint32 features;
  uint32 block_rows;
  uint32 held;
  int32 block;
  bytea *bytes;
} Packer;

/* Block b must be the tuple of page b, and the last page the last block's. From 16 on a server extends a table by several
 * pages at once for who has such a state, and leaves the last of them empty. */
static BulkInsertState bulk_insert(void) {
#if PG_VERSION_NUM >= 160000
  return NULL;
#else
  return GetBulkInsertState();
#endif
}

static void flush_block(Packer *packer) {
  TupleTableSlot *slot = packer->slot;

  if (packer->held == 0) return;
  ExecClearTuple(slot);
  slot->tts_values[0] = Int32GetDatum(packer->block);
  slot->tts_values[1] = PointerGetDatum(packer->bytes);
  slot->tts_isnull[0] = slot->tts_isnull[1] = false;
  ExecStoreVirtualTuple(slot);
  table_tuple_insert(packer->target, slot, GetCurrentCommandId(true), TABLE_INSERT_SKIP_FSM, packer->bulk);
  memset(VARDATA(packer->bytes), 0, packed_block_bytes(packer->features));
  packer->held = 0;
  if (++packer->block < 0) ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("the table is too large")));
}

static void pack_row(void *context, const float *row, float label) {
  Packer *packer = context;
  float *labels = (float *)VARDATA(packer->bytes);

  labels[packer->held] = label;
  memcpy(labels + packer->block_rows + (Size)packer->held * packer->features, row, sizeof(float) * packer->features);
  if (++packer->held == packer->block_rows) flush_block(packer);
}

/* Before anything is stored or charged, to the role that registers the table. Not for release. */
static void tell_check(const sotto_encoder *encoder) {
  sotto_text table = {NULL, 0};
  sotto_error error;
  sotto_status status = sotto_encoder_check(encoder, &table, &error);

  if (table.data != NULL) ereport(NOTICE, (errmsg_internal("%s", text_take(&table))));
  host_check(NULL, status, &error);
}

static void count_rows(sotto_encoder *encoder) {
  if (sotto_encoder_count(encoder) != SOTTO_OK) ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
}

static void pass_over(void *unused, const float *row, float label) {}

void survey_table(const TableToRead *table, const char *schema, Packing *packing) {
  int count;
  char **columns;
  sotto_encoder *encoder = encoder_open(schema, table->label, table->features, SOTTO_LABEL_REQUIRED, &count, &columns);

  if (packing->check) count_rows(encoder);
  encode_table(table, encoder, pass_over, NULL);
  if (packing->check) tell_check(encoder);
  packing->block_rows = 0;
  packing->facts = sotto_encoder_facts(encoder);
  sotto_encoder_fingerprint(encoder, packing->fingerprint);
}

bool dataset_is_array(const Registered *dataset) {
  int count;
  char **columns;
  sotto_encoder *encoder =
      encoder_open(dataset->schema, dataset->label, dataset->features, SOTTO_LABEL_REQUIRED, &count, &columns);

  return sotto_encoder_values(encoder) > 0;
}

void require_declared_facts(const Registered *dataset) {
  int count;
  char **columns;
  sotto_facts facts = sotto_encoder_facts(
      encoder_open(dataset->schema, dataset->label, dataset->features, SOTTO_LABEL_REQUIRED, &count, &columns));

  if (facts.data_norm == dataset->facts.data_norm && facts.features == dataset->facts.features &&
      facts.classes == dataset->facts.classes)
    return;
  ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
                  errmsg("the norm, features or classes of data set \"%s\" are not the declared ones", dataset->name)));
}

void pack_table(const TableToRead *table, const char *schema, Oid target, Packing *packing) {
  Packer packer;
  int count;
  char **columns;
  sotto_encoder *encoder = encoder_open(schema, table->label, table->features, SOTTO_LABEL_REQUIRED, &count, &columns);
  Size bytes;

  packing->facts = sotto_encoder_facts(encoder);
  packing->block_rows = packed_block_rows(packing->facts.features);
  if (packing->block_rows == 0)
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                    errmsg("a row of %u features does not fit a page", packing->facts.features),
                    errhint("Declare a projection to fewer dimensions.")));
  bytes = packed_block_bytes(packing->facts.features);
  packer.features = packing->facts.features;
  packer.block_rows = packing->block_rows;
  packer.held = 0;
  packer.block = 0;
  packer.bytes = palloc0(VARHDRSZ + bytes);
  SET_VARSIZE(packer.bytes, VARHDRSZ + bytes);
  packer.target = table_open(target, RowExclusiveLock);
  packer.bulk = bulk_insert();
  packer.slot = MakeSingleTupleTableSlot(RelationGetDescr(packer.target), &TTSOpsVirtual);
  if (packing->check) count_rows(encoder);
  encode_table(table, encoder, pack_row, &packer);
  if (packing->check) tell_check(encoder);
  flush_block(&packer);
  ExecDropSingleTupleTableSlot(packer.slot);
  if (packer.bulk != NULL) FreeBulkInsertState(packer.bulk);
  table_close(packer.target, NoLock);
  packing->facts = sotto_encoder_facts(encoder);
  sotto_encoder_fingerprint(encoder, packing->fingerprint);
}
