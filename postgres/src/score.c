#include "extension.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include <math.h>

/*
 * How a model does on the rows of a query, by parallel workers: counts and a sum of losses in whole units, which are the
 * same in whatever order they are added and by however many workers. Without noise, of rows the caller may read.
 */

PG_FUNCTION_INFO_V1(pg_sotto_score_cells);
PG_FUNCTION_INFO_V1(pg_sotto_score_array);
PG_FUNCTION_INFO_V1(pg_sotto_score_combine);
PG_FUNCTION_INFO_V1(pg_sotto_score_serialize);
PG_FUNCTION_INFO_V1(pg_sotto_score_deserialize);
PG_FUNCTION_INFO_V1(pg_sotto_score_final);

#define LOSS_UNITS 4294967296.0 /* a loss: 2^32 */

typedef struct Tally {
  int64 model;
  uint32 classes;
  int128 loss;
  uint64 unusable;
  uint64 counts[FLEXIBLE_ARRAY_MEMBER]; /* of class a predicted as p: [a * classes + p] */
} Tally;

typedef struct Scoring {
  sotto_model *model; /* where rows are taken */
  int columns;
  uint32 values;
  sotto_cell *cells;
  double *numbers;
  Tally *tally;
} Scoring;

static Size tally_size(uint32 classes) { return offsetof(Tally, counts) + sizeof(uint64) * classes * classes; }

static MemoryContext aggregate_context(FunctionCallInfo fcinfo) {
  MemoryContext context;

  if (!AggCheckCallContext(fcinfo, &context))
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("this function is part of an aggregate")));
  return context;
}

/* The cells of a row and its array are different arguments: neither may stand in for the other. */
static void check_shape(const Scoring *state, bool array) {
  if ((state->values > 0) == array) return;
  ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                  errmsg(array ? "the model's rows were declared by columns" : "the model's rows were declared as an array")));
}

/* Otherwise which model it is would depend on the row that comes first, and so on the number of workers. */
static void check_same_model(const Tally *tally, int64 model) {
  if (tally->model == model) return;
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a group of rows is scored by one model"),
                  errhint("GROUP BY the model.")));
}

static Scoring *scoring_of(FunctionCallInfo fcinfo, bool array) {
  MemoryContext context = aggregate_context(fcinfo);
  MemoryContext before;
  Scoring *state = PG_ARGISNULL(0) ? NULL : (Scoring *)PG_GETARG_POINTER(0);

  if (PG_ARGISNULL(1)) ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("a model must be given")));
  if (state != NULL) check_same_model(state->tally, PG_GETARG_INT64(1));
  if (state != NULL && state->model != NULL) return state;
  before = MemoryContextSwitchTo(context);
  if (state == NULL) state = palloc0(sizeof(Scoring));
  state->model = model_open(PG_GETARG_INT64(1), context);
  state->columns = (int)sotto_model_columns(state->model);
  state->values = sotto_model_values(state->model);
  check_shape(state, array);
  state->cells = palloc(sizeof(sotto_cell) * state->columns);
  state->numbers = palloc(sizeof(double) * ((Size)state->values + 1));
  if (state->tally == NULL) {
    uint32 classes = sotto_model_classes(state->model);

    state->tally = palloc0(tally_size(classes));
    state->tally->classes = classes;
    state->tally->model = PG_GETARG_INT64(1);
  }
  MemoryContextSwitchTo(before);
  return state;
}

static void count(Scoring *state, sotto_status status, const sotto_score *score) {
  Tally *tally = state->tally;

  if (status != SOTTO_OK || score->actual >= tally->classes || score->predicted >= tally->classes)
    ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("the rows do not have the shape of the model")));
  if (!score->usable) {
    ++tally->unusable;
    return;
  }
  ++tally->counts[score->actual * tally->classes + score->predicted];
  tally->loss += (int128)rint(Min(score->loss, 1e9) * LOSS_UNITS);
}

Datum pg_sotto_score_cells(PG_FUNCTION_ARGS) {
  Scoring *state = scoring_of(fcinfo, false);
  sotto_score score = {0, 0, 0, 0};

  cells_of_argument(fcinfo, 2, state->cells, state->columns);
  count(state, sotto_score_cells(state->model, state->cells, &score), &score);
  PG_RETURN_POINTER(state);
}

Datum pg_sotto_score_array(PG_FUNCTION_ARGS) {
  Scoring *state = scoring_of(fcinfo, true);
  sotto_score score = {0, 0, 0, 0};
  sotto_cell label = cell_of_argument(fcinfo, 2);
  size_t numbers = numbers_of_argument(fcinfo, 3, state->numbers, state->values);

  count(state, sotto_score_values(state->model, state->numbers, numbers, label, &score), &score);
  PG_RETURN_POINTER(state);
}

Datum pg_sotto_score_combine(PG_FUNCTION_ARGS) {
  MemoryContext before = MemoryContextSwitchTo(aggregate_context(fcinfo));
  Scoring *to = PG_ARGISNULL(0) ? NULL : (Scoring *)PG_GETARG_POINTER(0);
  Scoring *from = PG_ARGISNULL(1) ? NULL : (Scoring *)PG_GETARG_POINTER(1);

  if (to == NULL && from != NULL) {
    to = palloc0(sizeof(Scoring));
    to->tally = palloc0(tally_size(from->tally->classes));
    to->tally->classes = from->tally->classes;
    to->tally->model = from->tally->model;
  }
  MemoryContextSwitchTo(before);
  if (from != NULL) {
    check_same_model(to->tally, from->tally->model);
    to->tally->loss += from->tally->loss;
    to->tally->unusable += from->tally->unusable;
    for (uint32 i = 0; i < to->tally->classes * to->tally->classes; ++i)
      to->tally->counts[i] += from->tally->counts[i];
  }
  if (to == NULL) PG_RETURN_NULL();
  PG_RETURN_POINTER(to);
}

Datum pg_sotto_score_serialize(PG_FUNCTION_ARGS) {
  Scoring *state = (Scoring *)PG_GETARG_POINTER(0);

  (void)aggregate_context(fcinfo);
  PG_RETURN_BYTEA_P(bytea_of((const char *)state->tally, tally_size(state->tally->classes)));
}

Datum pg_sotto_score_deserialize(PG_FUNCTION_ARGS) {
  bytea *bytes = PG_GETARG_BYTEA_PP(0);
  Scoring *state = palloc0(sizeof(Scoring));

  (void)aggregate_context(fcinfo);
  state->tally = palloc(VARSIZE_ANY_EXHDR(bytes));
  memcpy(state->tally, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
  PG_RETURN_POINTER(state);
}

Datum pg_sotto_score_final(PG_FUNCTION_ARGS) {
  Scoring *state = PG_ARGISNULL(0) ? NULL : (Scoring *)PG_GETARG_POINTER(0);
  StringInfoData json;
  uint64 rows = 0;
  uint64 right = 0;
  uint32 classes;

  (void)aggregate_context(fcinfo);
  if (state == NULL) PG_RETURN_NULL();
  classes = state->tally->classes;
  for (uint32 i = 0; i < classes * classes; ++i) {
    rows += state->tally->counts[i];
    right += i / classes == i % classes ? state->tally->counts[i] : 0;
  }
  if (rows == 0) ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("no row can be used")));
  initStringInfo(&json);
  appendStringInfo(&json,
                   "{\"rows\": " UINT64_FORMAT ", \"unusable\": " UINT64_FORMAT
                   ", \"accuracy\": %.17g, \"loss\": %.17g, \"counts\": [",
                   rows, state->tally->unusable, (double)right / (double)rows, (double)state->tally->loss / LOSS_UNITS / (double)rows);
  for (uint32 i = 0; i < classes * classes; ++i)
    appendStringInfo(&json, "%s" UINT64_FORMAT "%s", i == 0 ? "[" : i % classes == 0 ? ", [" : ", ",
                     state->tally->counts[i], i % classes == classes - 1 ? "]" : "");
  appendStringInfoString(&json, "], \"private\": false}");
  PG_RETURN_TEXT_P(cstring_to_text(json.data));
}
