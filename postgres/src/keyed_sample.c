#include "extension.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/tsmapi.h"
#include "catalog/pg_type.h"
#include "nodes/execnodes.h"
#include "nodes/pathnodes.h"
#include "optimizer/optimizer.h"

/*
 * TABLESAMPLE sotto.keyed(part, parts) REPEATABLE (key): every row of a table once, or one of `parts` disjoint shares of
 * its pages; pages, and the rows of a page, in an order that is a function of the key and of positions alone. For tables
 * without a packed copy: rows come well mixed, and the server neither starts in the middle nor sorts. What is trained
 * shuffles them once more, for where a row lies may depend on the widths of others.
 */

PG_FUNCTION_INFO_V1(pg_sotto_keyed);

typedef struct KeyedScan {
  uint64 key;
  uint64 part;
  uint64 parts;
  uint64 next;                             /* in the order of pages */
  uint64 last;                             /* of this share; known with the first page */
  bool begun;                              /* a page */
  OffsetNumber count;                      /* of its line pointers */
  OffsetNumber taken;                      /* of them */
  uint64_t offsets[MaxHeapTuplesPerPage];  /* less one */
} KeyedScan;

static void keyed_size(PlannerInfo *root, RelOptInfo *baserel, List *paramexprs, BlockNumber *pages, double *tuples) {
  Node *parts = estimate_expression_value(root, lsecond(paramexprs));
  double share = 1;

  if (IsA(parts, Const) && !((Const *)parts)->constisnull && DatumGetInt32(((Const *)parts)->constvalue) > 0)
    share = 1.0 / DatumGetInt32(((Const *)parts)->constvalue);
  *pages = (BlockNumber)ceil(baserel->pages * share);
  *tuples = clamp_row_est(baserel->tuples * share);
}

static void keyed_init(SampleScanState *node, int flags) { node->tsm_state = palloc0(sizeof(KeyedScan)); }

static void keyed_begin(SampleScanState *node, Datum *params, int count, uint32 seed) {
  KeyedScan *scan = node->tsm_state;
  int32 part = DatumGetInt32(params[0]);
  int32 parts = DatumGetInt32(params[1]);

  if (parts < 1 || part < 0 || part >= parts)
    ereport(ERROR, (errcode(ERRCODE_INVALID_TABLESAMPLE_ARGUMENT),
                    errmsg("got part %d of %d, must be one of 0 to %d", part, parts, Max(parts, 1) - 1)));
  memset(scan, 0, offsetof(KeyedScan, offsets));
  scan->key = seed;
  scan->part = (uint64)part;
  scan->parts = (uint64)parts;
  node->use_bulkread = true;
  node->use_pagemode = true;
}

static BlockNumber keyed_block(SampleScanState *node, BlockNumber pages) {
  KeyedScan *scan = node->tsm_state;
  uint64_t page;

  if (scan->last == 0) {
    scan->next = scan->part * pages / scan->parts;
    scan->last = (scan->part + 1) * pages / scan->parts;
  }
  scan->begun = false;
  if (scan->next >= scan->last) {
    scan->last = 0; /* a scan that is started again begins anew */
    return InvalidBlockNumber;
  }
  sotto_keyed_order(scan->key, 0, pages, scan->next++, 1, &page);
  return (BlockNumber)page;
}

static OffsetNumber keyed_tuple(SampleScanState *node, BlockNumber page, OffsetNumber most) {
  KeyedScan *scan = node->tsm_state;

  if (!scan->begun) {
    scan->begun = true;
    scan->taken = 0;
    scan->count = Min(most, (OffsetNumber)MaxHeapTuplesPerPage);
    sotto_keyed_order(scan->key, (uint64)page + 1, scan->count, 0, scan->count, scan->offsets);
  }
  if (scan->taken >= scan->count) return InvalidOffsetNumber;
  return (OffsetNumber)(scan->offsets[scan->taken++] + FirstOffsetNumber);
}

Datum pg_sotto_keyed(PG_FUNCTION_ARGS) {
  TsmRoutine *method = makeNode(TsmRoutine);

  method->parameterTypes = list_make2_oid(INT4OID, INT4OID);
  method->repeatable_across_queries = true;
  method->repeatable_across_scans = true;
  method->SampleScanGetSampleSize = keyed_size;
  method->InitSampleScan = keyed_init;
  method->BeginSampleScan = keyed_begin;
  method->NextSampleBlock = keyed_block;
  method->NextSampleTuple = keyed_tuple;
  PG_RETURN_POINTER(method);
}
