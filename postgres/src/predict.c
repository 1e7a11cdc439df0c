#include "extension.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/*
 * What a released model says about rows its caller holds.
 */

PG_FUNCTION_INFO_V1(pg_sotto_predict);
PG_FUNCTION_INFO_V1(pg_sotto_predict_proba);
PG_FUNCTION_INFO_V1(pg_sotto_evaluate);
PG_FUNCTION_INFO_V1(pg_sotto_model_text);
PG_FUNCTION_INFO_V1(pg_sotto_verify_model);

static char *model_body(int64 id) {
  Owner before;
  MemoryContext caller = CurrentMemoryContext;
  Oid types[1] = {INT8OID};
  Datum values[1] = {Int64GetDatum(id)};
  char *body = NULL;
  bool released = false;

  owner_begin(&before);
  /* Of now, whatever the caller's isolation level; parallel workers have the snapshot of their leader. */
  PushActiveSnapshot(IsInParallelMode() ? GetActiveSnapshot() : GetLatestSnapshot());
  SPI_connect();
  if (SPI_execute_with_args("SELECT m.body, r.detail FROM sotto.model m LEFT JOIN sotto.ledger_record r ON r.ledger = "
                            "m.ledger AND r.entry = m.entry AND r.kind = 'released' WHERE m.id = $1",
                            1, types, values, NULL, true, 1) == SPI_OK_SELECT &&
      SPI_processed == 1) {
    char *value = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
    char *digest = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2);

    released = digest != NULL && sotto_has_digest(value, strlen(value), digest);
    body = MemoryContextStrdup(caller, value);
  }
  SPI_finish();
  PopActiveSnapshot();
  owner_end(&before);
  if (body == NULL)
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("there is no model " INT64_FORMAT, id)));
  if (!released)
    ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
                    errmsg("model " INT64_FORMAT " is not the one its ledger released: it was edited", id)));
  return body;
}

static void free_model(void *model) { sotto_model_free(model); }

/* Freed with the memory context it is opened in. */
sotto_model *model_open(int64 id, MemoryContext context) {
  char *body = model_body(id);
  sotto_model *model = NULL;
  sotto_error error;
  MemoryContextCallback *callback = MemoryContextAllocZero(context, sizeof(MemoryContextCallback));

  host_check(NULL, sotto_model_open(body, strlen(body), &model, &error), &error);
  callback->func = free_model;
  callback->arg = model;
  MemoryContextRegisterResetCallback(context, callback);
  pfree(body);
  return model;
}

/* A model is opened once a query for each number it is asked under. */
typedef struct Opened {
  int64 id;
  sotto_model *model;
  RowReader *reader; /* of the values it is asked about */
  MemoryContext context;
} Opened;

static Opened *opened_model(FunctionCallInfo fcinfo) {
  Opened *opened = fcinfo->flinfo->fn_extra;
  int64 id = PG_GETARG_INT64(0);
  MemoryContext before;

  if (opened != NULL && opened->reader != NULL && opened->id == id) return opened;
  if (opened == NULL) {
    opened = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(Opened));
    opened->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "sotto model", ALLOCSET_SMALL_SIZES);
    fcinfo->flinfo->fn_extra = opened;
  }
  opened->reader = NULL;
  MemoryContextReset(opened->context);
  opened->id = id;
  opened->model = model_open(id, opened->context);
  before = MemoryContextSwitchTo(opened->context);
  opened->reader = row_reader(get_fn_expr_argtype(fcinfo->flinfo, 1), opened->model);
  MemoryContextSwitchTo(before);
  return opened;
}

Datum pg_sotto_predict(PG_FUNCTION_ARGS) {
  Opened *opened = opened_model(fcinfo);
  uint32 place = predict_row(opened->reader, PG_GETARG_DATUM(1), NULL);

  if (place >= sotto_model_classes(opened->model)) PG_RETURN_NULL();
  PG_RETURN_TEXT_P(cstring_to_text(sotto_model_class(opened->model, place)));
}

Datum pg_sotto_predict_proba(PG_FUNCTION_ARGS) {
  Opened *opened = opened_model(fcinfo);
  uint32 classes = sotto_model_classes(opened->model);
  double *probabilities = palloc(sizeof(double) * classes);
  Datum *elements = palloc(sizeof(Datum) * classes);

  if (predict_row(opened->reader, PG_GETARG_DATUM(1), probabilities) >= classes) PG_RETURN_NULL();
  for (uint32 i = 0; i < classes; ++i) elements[i] = Float8GetDatum(probabilities[i]);
  PG_RETURN_ARRAYTYPE_P(
      construct_array(elements, (int)classes, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

Datum pg_sotto_model_text(PG_FUNCTION_ARGS) { PG_RETURN_TEXT_P(cstring_to_text(model_body(PG_GETARG_INT64(0)))); }

/* Reads the table with the rights of the caller, who could compute the same figures without us; for a superuser with
 * those of its owner. */
Datum pg_sotto_evaluate(PG_FUNCTION_ARGS) {
  sotto_model *model = model_open(PG_GETARG_INT64(0), CurrentMemoryContext);
  char *label = text_to_cstring(PG_GETARG_TEXT_PP(2));
  char *features = text_to_cstring(PG_GETARG_TEXT_PP(3));
  TableToRead table = {PG_GETARG_OID(1), GetUserId(), label, features, false};
  const char *schema = sotto_model_schema(model);
  int count;
  char **columns;
  sotto_encoder *encoder = encoder_open(schema, label, features, SOTTO_LABEL_REQUIRED, &count, &columns);
  CollectedRows all;
  sotto_text figures = {NULL, 0};
  sotto_error error;
  sotto_judged judged;

  collect_table(&table, encoder, true, &all);
  judged = (sotto_judged){all.labels, all.rows, all.count, all.unusable};
  host_check(NULL, sotto_evaluate(model, &judged, &figures, &error), &error);
  PG_RETURN_TEXT_P(cstring_to_text(text_take(&figures)));
}

Datum pg_sotto_verify_model(PG_FUNCTION_ARGS) {
  text *model = PG_GETARG_TEXT_PP(0);
  char *key = text_to_cstring(PG_GETARG_TEXT_PP(1));
  sotto_text problem = {NULL, 0};
  sotto_error error;
  bool verified;

  host_check(NULL, sotto_model_verify(VARDATA_ANY(model), VARSIZE_ANY_EXHDR(model), key, &problem, &error), &error);
  verified = problem.data == NULL;
  if (!verified) sotto_text_free(&problem);
  PG_RETURN_BOOL(verified);
}
