#include "extension.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rls.h"

/*
 * Training as an aggregate, over rows as a query brings them. The ledger is charged in the first call of a transition
 * function, before that looks at its row. The state holds encoded rows in the library's memory and
 * no weights; the final functions shuffle them, make all passes and give out what may leave: a model the ledger was
 * charged for, or a result sealed for the server that asked. Only curators may call these: a ledger takes the rows it
 * was made for and refuses others, which to someone who may not read them would be an answer about them.
 */

PG_FUNCTION_INFO_V1(pg_sotto_collect_cells);
PG_FUNCTION_INFO_V1(pg_sotto_collect_array);
PG_FUNCTION_INFO_V1(pg_sotto_train_final);
PG_FUNCTION_INFO_V1(pg_sotto_shard_cells);
PG_FUNCTION_INFO_V1(pg_sotto_shard_array);
PG_FUNCTION_INFO_V1(pg_sotto_shard_final);
PG_FUNCTION_INFO_V1(pg_sotto_train_table);

/* ---------------------------------------------------------------- state */

typedef struct Collecting {
  sotto_collected *collected;
  int columns;
  uint32 values;
  sotto_cell *cells;
  double *numbers;
  Registered *dataset; /* training */
  uint64 taken;        /* at most one row more than were registered */
  Host host;
  LedgerStore ledger;
  sotto_store store;
  sotto_training *training;
  char *task; /* a shard's */
} Collecting;

static MemoryContext aggregate_context(FunctionCallInfo fcinfo) {
  MemoryContext context;

  if (AggCheckCallContext(fcinfo, &context) != AGG_CONTEXT_AGGREGATE)
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("this function is part of an aggregate")));
  return context;
}

static void free_collected(void *collected) { sotto_collected_free(collected); }

/* Freed with the aggregate's memory, however the query ends. */
static void keep_collected(Collecting *state) {
  MemoryContextCallback *callback = palloc0(sizeof(MemoryContextCallback));

  callback->func = free_collected;
  callback->arg = state->collected;
  MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
  state->columns = (int)sotto_collected_columns(state->collected);
  state->values = sotto_collected_values(state->collected);
  state->cells = palloc(sizeof(sotto_cell) * Max(state->columns, 1));
  state->numbers = palloc(sizeof(double) * ((Size)state->values + 1));
}

static bool column_readable(Oid source, const char *column, Oid user) {
  AttrNumber number = get_attnum(source, column);

  return number != InvalidAttrNumber && pg_attribute_aclcheck(source, number, user, ACL_SELECT) == ACLCHECK_OK;
}

/*
 * A ledger takes the rows it was made for and no others: whoever may not read them would learn whether a guess is
 * right. Row security may keep rows even from who may read the table, unless it was registered as that user sees it.
 */
static void require_readable(const Registered *dataset) {
  Oid user = GetUserId();
  bool registrar = dataset->curator != NULL && strcmp(dataset->curator, GetUserNameFromId(user, false)) == 0;
  bool readable = get_rel_name(dataset->source) != NULL &&
                  (registrar || check_enable_rls(dataset->source, user, true) != RLS_ENABLED);

  if (dataset->layout == LAYOUT_SHARDED)
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("data set \"%s\" is sharded: its rows are not shipped", dataset->name),
                    errhint("Train on it with sotto.train.")));
  if (readable && pg_class_aclcheck(dataset->source, user, ACL_SELECT) != ACLCHECK_OK) {
    int count;
    char **columns = declared_columns(dataset->features, &count);

    for (int i = 0; i <= count && readable; ++i)
      readable = column_readable(dataset->source, i < count ? columns[i] : dataset->label, user);
  }
  if (!readable)
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                    errmsg("permission denied for the table of data set \"%s\"", dataset->name)));
}

static void check_taken(sotto_status status) {
  if (status != SOTTO_OK) ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
}

static void free_training(void *training) { sotto_training_free(training); }

/*
 * Charges for the rows to come, before the first of them is looked at: what is refused until here depends on the query
 * alone, what fails from here on stays spent.
 */
static void pay(Collecting *state, const char *request) {
  MemoryContextCallback *callback = palloc0(sizeof(MemoryContextCallback));
  sotto_rows rows;
  sotto_error error;

  require_primary();
  require_declared_facts(state->dataset);
  check_taken(sotto_collected_reserve(state->collected, state->dataset->facts.rows));
  host_init(&state->host);
  store_init(&state->ledger, &state->host, state->dataset->ledger, state->dataset->name);
  state->store = store_callbacks(&state->ledger);
  memset(&rows, 0, sizeof rows);
  rows.facts = state->dataset->facts;
  rows.block_rows = 1;
  rows.fingerprint = state->dataset->fingerprint;
  host_check(&state->host,
             sotto_training_begin(&rows, &state->store, state->dataset->schema, request, &state->training, &error),
             &error);
  callback->func = free_training;
  callback->arg = state->training;
  MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
}

/* How many groups there are, and so how often would be charged, may depend on rows. */
static void require_one_group(FunctionCallInfo fcinfo) {
  if (IsA(fcinfo->context, AggState) && ((AggState *)fcinfo->context)->aggstrategy == AGG_PLAIN) return;
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("rows are trained on together, not by groups")));
}

/* The number of cells a query gives, where it is not a matter of its rows; otherwise -1. */
static int cells_given(FunctionCallInfo fcinfo) {
  Aggref *call = AggGetAggref(fcinfo);
  Node *last = call == NULL ? NULL : (Node *)((TargetEntry *)llast(call->args))->expr;

  return last != NULL && IsA(last, ArrayExpr) ? list_length(((ArrayExpr *)last)->elements) : -1;
}

static void check_shape(const Collecting *state, bool array) {
  if ((state->values > 0) == array) return;
  ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                  errmsg(array ? "the data set was declared by columns" : "the data set was declared as an array")));
}

/* What takes the rows of a data set, in the current memory context. */
static Collecting *collecting_for(const char *name) {
  Collecting *state = palloc0(sizeof(Collecting));
  char **columns;
  const char **all;
  sotto_error error;
  int count;

  state->dataset = registered_load(name);
  require_readable(state->dataset);
  columns = declared_columns(state->dataset->features, &count);
  all = palloc(sizeof(char *) * (count + 1));
  for (int i = 0; i < count; ++i) all[i] = columns[i];
  all[count] = state->dataset->label;
  host_check(NULL, sotto_collected_new(state->dataset->schema, all, count + 1, &state->collected, &error), &error);
  keep_collected(state);
  return state;
}

static char *request_text(Jsonb *request) { return JsonbToCString(NULL, &request->root, VARSIZE(request)); }

static Collecting *training_begin(FunctionCallInfo fcinfo, bool array) {
  MemoryContext before = MemoryContextSwitchTo(aggregate_context(fcinfo));
  Collecting *state;

  if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
    ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("data set and request must be given")));
  require_one_group(fcinfo);
  state = collecting_for(text_to_cstring(PG_GETARG_TEXT_PP(1)));
  check_shape(state, array);
  if (!array && cells_given(fcinfo) >= 0 && cells_given(fcinfo) != state->columns)
    ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                    errmsg("got %d cells, must be %d: the declared columns and the label", cells_given(fcinfo),
                           state->columns)));
  pay(state, request_text(PG_GETARG_JSONB_P(2)));
  MemoryContextSwitchTo(before);
  return state;
}

static Collecting *shard_begin(FunctionCallInfo fcinfo, bool array) {
  MemoryContext before = MemoryContextSwitchTo(aggregate_context(fcinfo));
  Collecting *state = palloc0(sizeof(Collecting));
  sotto_error error;

  if (PG_ARGISNULL(1)) ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("a task must be given")));
  (void)cluster_key(); /* missing: said before the work is done */
  state->task = text_to_cstring((text *)PG_GETARG_BYTEA_PP(1));
  host_check(NULL, sotto_collected_for(state->task, &state->collected, &error), &error);
  keep_collected(state);
  check_shape(state, array);
  MemoryContextSwitchTo(before);
  return state;
}

/* ---------------------------------------------------------------- rows */

static void take_cells(Collecting *state, FunctionCallInfo fcinfo, int argument) {
  cells_of_argument(fcinfo, argument, state->cells, state->columns);
  check_taken(sotto_collect_cells(state->collected, state->cells));
}

static void take_array(Collecting *state, FunctionCallInfo fcinfo, int argument) {
  sotto_cell label = cell_of_argument(fcinfo, argument);
  size_t count = numbers_of_argument(fcinfo, argument + 1, state->numbers, state->values);

  check_taken(sotto_collect_values(state->collected, state->numbers, count, label));
}

static Collecting *state_of(FunctionCallInfo fcinfo, Collecting *(*begin)(FunctionCallInfo, bool), bool array) {
  (void)aggregate_context(fcinfo);
  return PG_ARGISNULL(0) ? begin(fcinfo, array) : (Collecting *)PG_GETARG_POINTER(0);
}

/* A request that was answered before needs no row. */
static bool needs_rows(const Collecting *state) { return sotto_training_answered(state->training) == 0; }

/* Whether the next row is kept. One more than were registered shows that these are other rows, and will be refused;
 * what comes after it takes no memory. */
static bool keeps_row(Collecting *state) {
  if (!needs_rows(state) || state->taken > state->dataset->facts.rows) return false;
  ++state->taken;
  return true;
}

Datum pg_sotto_collect_cells(PG_FUNCTION_ARGS) {
  Collecting *state = state_of(fcinfo, training_begin, false);

  if (keeps_row(state)) take_cells(state, fcinfo, 3);
  PG_RETURN_POINTER(state);
}

Datum pg_sotto_collect_array(PG_FUNCTION_ARGS) {
  Collecting *state = state_of(fcinfo, training_begin, true);

  if (keeps_row(state)) take_array(state, fcinfo, 3);
  PG_RETURN_POINTER(state);
}

Datum pg_sotto_shard_cells(PG_FUNCTION_ARGS) {
  Collecting *state = state_of(fcinfo, shard_begin, false);

  take_cells(state, fcinfo, 2);
  PG_RETURN_POINTER(state);
}

Datum pg_sotto_shard_array(PG_FUNCTION_ARGS) {
  Collecting *state = state_of(fcinfo, shard_begin, true);

  take_array(state, fcinfo, 2);
  PG_RETURN_POINTER(state);
}

/* ---------------------------------------------------------------- what leaves */

static sotto_rows shuffled_rows(Collecting *state, Host *host) {
  sotto_rows rows;
  sotto_error error;

  use_threads();
  host_check(host, sotto_collected_rows(state->collected, host_poll, host, &rows, &error), &error);
  return rows;
}

static int64 training_end(Collecting *state) {
  sotto_rows rows;
  sotto_error error;
  uint64_t entry = 0;
  int stored = 0;

  if (needs_rows(state)) rows = shuffled_rows(state, &state->host);
  host_check(&state->host, sotto_training_end(state->training, &rows, &entry, &stored, &error), &error);
  store_close(&state->ledger);
  return released_model(state->dataset->ledger, entry, stored);
}

Datum pg_sotto_train_final(PG_FUNCTION_ARGS) {
  (void)aggregate_context(fcinfo);
  if (PG_ARGISNULL(0)) ereport(ERROR, (errcode(ERRCODE_NO_DATA), errmsg("there are no rows")));
  PG_RETURN_INT64(training_end((Collecting *)PG_GETARG_POINTER(0)));
}

Datum pg_sotto_shard_final(PG_FUNCTION_ARGS) {
  Collecting *state;
  Host host;
  sotto_rows rows;
  sotto_text sealed = {NULL, 0};
  sotto_error error;
  char *key;
  Size size;

  (void)aggregate_context(fcinfo);
  if (PG_ARGISNULL(0)) PG_RETURN_NULL();
  state = (Collecting *)PG_GETARG_POINTER(0);
  key = cluster_key();
  host_init(&host);
  rows = shuffled_rows(state, &host);
  host_check(&host, sotto_shard_answer(&rows, state->task, key, &sealed, &error), &error);
  size = sealed.size;
  PG_RETURN_BYTEA_P(bytea_of(text_take(&sealed), size));
}

/* ---------------------------------------------------------------- the source of a data set */

static void take_row_read(void *context, const TableRow *row) {
  Collecting *state = context;

  if (!keeps_row(state)) return;
  check_taken(row->numbers != NULL
                  ? sotto_collect_values(state->collected, row->numbers, row->number_count, row->label)
                  : sotto_collect_cells(state->collected, row->cells));
}

/* The caller must be one who may read the table; it is read as when it was registered. */
Datum pg_sotto_train_table(PG_FUNCTION_ARGS) {
  Collecting *state = collecting_for(text_to_cstring(PG_GETARG_TEXT_PP(0)));
  const Registered *dataset = state->dataset;
  TableToRead table = {dataset->source, registrar_of(dataset), dataset->label, dataset->features, false};

  require_plain_columns(table.source, table.label, table.features, state->values > 0);
  pay(state, request_text(PG_GETARG_JSONB_P(1)));
  if (needs_rows(state)) read_table(&table, state->values, take_row_read, state);
  PG_RETURN_INT64(training_end(state));
}
