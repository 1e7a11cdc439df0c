#include "extension.h"

#include "access/heapam.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/float.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/*
 * From a table to encoded rows. Rows are read with the rights of the caller, each as texts under named columns or as
 * one array of numbers.
 */

#define ROWS_A_FETCH 1000

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

static char *relation_text(Oid relation) {
  char *name = get_rel_name(relation);

  if (name == NULL) ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("the table is not there any more")));
  return quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)), name);
}

/* The label first, then the features; in an order that no value decides. */
static char *query_text(Oid source, const char *label, char **columns, int count, bool array, bool shuffled) {
  StringInfoData query;

  initStringInfo(&query);
  appendStringInfo(&query, "SELECT %s::pg_catalog.text", quote_identifier(label));
  for (int i = 0; i < count; ++i)
    appendStringInfo(&query, ", %s::%s", quote_identifier(columns[i]),
                     array ? "pg_catalog.float8[]" : "pg_catalog.text");
  appendStringInfo(&query, " FROM %s", relation_text(source));
  if (shuffled) appendStringInfoString(&query, " ORDER BY pg_catalog.gen_random_uuid()");
  return query.data;
}

/* The same rows must have the same texts, or they would get a second budget: neither types whose texts depend on the
 * session are taken, nor, where a view casts such a type itself, is the session asked. */
static void check_spelling(Oid source, const char *label, const char *features, bool array) {
  int count;
  char **columns = declared_columns(features, &count);

  for (int i = array ? count : 0; i <= count; ++i) {
    AttrNumber number = get_attnum(source, i < count ? columns[i] : label);

    if (number != InvalidAttrNumber) require_one_spelling(get_atttype(source, number)); /* else the query says so */
  }
}

static int fix_spelling(void) {
  const char *settings[][2] = {{"DateStyle", "ISO, MDY"}, {"IntervalStyle", "postgres"}, {"TimeZone", "UTC"},
                               {"bytea_output", "hex"},   {"extra_float_digits", "1"},   {"lc_monetary", "C"}};
  int level = NewGUCNestLevel();

  for (int i = 0; i < (int)lengthof(settings); ++i)
    (void)set_config_option(settings[i][0], settings[i][1], PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
  return level;
}

typedef struct Cells {
  sotto_encoder *encoder;
  int count; /* features */
  sotto_cell *cells;
  double *numbers;
  Size numbers_room;
  float *row;
} Cells;

static sotto_cell cell_of(HeapTuple tuple, TupleDesc shape, int column) {
  bool missing;
  Datum value = SPI_getbinval(tuple, shape, column, &missing);
  sotto_cell cell = {NULL, 0};

  if (!missing) {
    text *held = DatumGetTextPP(value);

    cell.data = VARDATA_ANY(held);
    cell.size = VARSIZE_ANY_EXHDR(held);
  }
  return cell;
}

/* A missing array, or one of several dimensions, has no numbers: not as many as declared. */
static size_t numbers_of(Cells *cells, HeapTuple tuple, TupleDesc shape) {
  bool missing;
  Datum value = SPI_getbinval(tuple, shape, 2, &missing);
  ArrayType *array;
  Datum *elements;
  bool *nulls;
  int count;

  if (missing) return 0;
  array = DatumGetArrayTypeP(value);
  if (ARR_NDIM(array) != 1) return 0;
  deconstruct_array(array, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &elements, &nulls, &count);
  if ((Size)count > cells->numbers_room) return 0;
  for (int i = 0; i < count; ++i) cells->numbers[i] = nulls[i] ? get_float8_nan() : DatumGetFloat8(elements[i]);
  return (size_t)count;
}

static float encode_row(Cells *cells, HeapTuple tuple, TupleDesc shape) {
  float label = 1;
  sotto_status status;
  sotto_cell label_cell = cell_of(tuple, shape, 1);

  if (cells->numbers != NULL) {
    size_t count = numbers_of(cells, tuple, shape);

    status = sotto_encode_values(cells->encoder, cells->numbers, count, label_cell, cells->row, &label);
  } else {
    for (int i = 0; i < cells->count; ++i) cells->cells[i] = cell_of(tuple, shape, i + 2);
    cells->cells[cells->count] = label_cell;
    status = sotto_encode_cells(cells->encoder, cells->cells, cells->row, &label);
  }
  if (status != SOTTO_OK) ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
  return label;
}

static void prepare_cells(Cells *cells, sotto_encoder *encoder, int count) {
  Size values = sotto_encoder_values(encoder);

  cells->encoder = encoder;
  cells->count = count;
  cells->cells = palloc(sizeof(sotto_cell) * (count + 1));
  cells->numbers_room = values + 1; /* one more than declared is seen to be too many */
  cells->numbers = values > 0 ? palloc(sizeof(double) * cells->numbers_room) : NULL;
  cells->row = palloc0(sizeof(float) * (Size)sotto_encoder_facts(encoder).features);
}

void encode_table(Oid source, const char *label, const char *features, sotto_encoder *encoder, bool shuffled,
                  take_row take, void *taker) {
  Cells cells;
  int count;
  char **columns = declared_columns(features, &count);
  char *query;
  MemoryContext a_fetch;
  Portal cursor;
  SPIPlanPtr plan;
  int settings = fix_spelling();

  prepare_cells(&cells, encoder, count);
  query = query_text(source, label, columns, count, cells.numbers != NULL, shuffled);
  a_fetch = AllocSetContextCreate(CurrentMemoryContext, "sotto rows", ALLOCSET_DEFAULT_SIZES);
  SPI_connect();
  plan = SPI_prepare(query, 0, NULL);
  if (plan == NULL) elog(ERROR, "the table cannot be read");
  cursor = SPI_cursor_open(NULL, plan, NULL, NULL, true);
  for (;;) {
    SPI_cursor_fetch(cursor, true, ROWS_A_FETCH);
    if (SPI_processed == 0) break;
    for (uint64 i = 0; i < SPI_processed; ++i) {
      MemoryContext before = MemoryContextSwitchTo(a_fetch);
      float label_value = encode_row(&cells, SPI_tuptable->vals[i], SPI_tuptable->tupdesc);

      MemoryContextSwitchTo(before);
      take(taker, cells.row, label_value);
    }
    MemoryContextReset(a_fetch);
    SPI_freetuptable(SPI_tuptable);
    CHECK_FOR_INTERRUPTS();
  }
  SPI_cursor_close(cursor);
  SPI_finish();
  AtEOXact_GUC(false, settings);
  MemoryContextDelete(a_fetch);
}

static void collect(void *context, const float *row, float label) {
  CollectedRows *all = context;

  if (all->judging != NULL && !sotto_encoder_usable(all->judging)) {
    ++all->unusable;
    return;
  }
  if (all->count == all->room) {
    all->room *= 2;
    all->labels = repalloc_huge(all->labels, sizeof(float) * all->room);
    all->rows = repalloc_huge(all->rows, sizeof(float) * all->room * all->features);
  }
  all->labels[all->count] = label;
  memcpy(all->rows + all->count * all->features, row, sizeof(float) * all->features);
  ++all->count;
}

void collect_table(Oid source, const char *label, const char *features, sotto_encoder *encoder, bool usable,
                   CollectedRows *all) {
  all->features = sotto_encoder_facts(encoder).features;
  all->count = 0;
  all->judging = usable ? encoder : NULL;
  all->unusable = 0;
  all->room = 1024;
  all->labels = palloc(sizeof(float) * all->room);
  all->rows = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(float) * all->room * all->features);
  encode_table(source, label, features, encoder, false, collect, all);
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

static void pass_over(void *unused, const float *row, float label) {}

void survey_table(Oid source, const char *schema, const char *label, const char *features, Packing *packing) {
  int count;
  char **columns;
  sotto_encoder *encoder = encoder_open(schema, label, features, SOTTO_LABEL_REQUIRED, &count, &columns);

  check_spelling(source, label, features, sotto_encoder_values(encoder) > 0);
  encode_table(source, label, features, encoder, false, pass_over, NULL);
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

char *aggregate_arguments(const Registered *dataset) {
  StringInfoData text;
  int count;
  char **columns = declared_columns(dataset->features, &count);
  bool array = dataset_is_array(dataset);

  initStringInfo(&text);
  if (array)
    appendStringInfo(&text, "sotto.cell(%s), %s", quote_identifier(dataset->label), quote_identifier(columns[0]));
  for (int i = 0; i < count && !array; ++i) appendStringInfo(&text, "sotto.cell(%s), ", quote_identifier(columns[i]));
  if (!array) appendStringInfo(&text, "sotto.cell(%s)", quote_identifier(dataset->label));
  appendStringInfo(&text, ") FROM %s", relation_text(dataset->source));
  return text.data;
}

void pack_table(Oid source, const char *schema, const char *label, const char *features, Oid target,
                Packing *packing) {
  Packer packer;
  int count;
  char **columns;
  sotto_encoder *encoder = encoder_open(schema, label, features, SOTTO_LABEL_REQUIRED, &count, &columns);
  Size bytes;

  check_spelling(source, label, features, sotto_encoder_values(encoder) > 0);
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
  encode_table(source, label, features, encoder, true, pack_row, &packer);
  flush_block(&packer);
  ExecDropSingleTupleTableSlot(packer.slot);
  if (packer.bulk != NULL) FreeBulkInsertState(packer.bulk);
  table_close(packer.target, NoLock);
  packing->facts = sotto_encoder_facts(encoder);
  sotto_encoder_fingerprint(encoder, packing->fingerprint);
}
