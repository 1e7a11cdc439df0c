#include "extension.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

/*
 * Planning and training. Everything that depends on rows lives in the library's memory until the curator has noised
 * it; what comes back is the released model, which is in the ledger by then.
 */

PG_FUNCTION_INFO_V1(pg_sotto_plan);
PG_FUNCTION_INFO_V1(pg_sotto_train);
PG_FUNCTION_INFO_V1(pg_sotto_tune);

typedef struct Session {
  Host host;
  Registered *dataset;
  bool sharded;
  ShardSet shards; /* or */
  PackedRows packed;
  sotto_rows rows;
  LedgerStore ledger;
  sotto_store store;
} Session;

static void session_begin(Session *session, FunctionCallInfo fcinfo) {
  require_primary();
  session->dataset = registered_load(text_to_cstring(PG_GETARG_TEXT_PP(0)));
  require_declared_facts(session->dataset);
  host_init(&session->host);
  use_threads();
  session->sharded = session->dataset->layout == LAYOUT_SHARDED;
  if (session->sharded) {
    shards_open(&session->shards, &session->host, session->dataset);
  } else {
    packed_open(&session->packed, &session->host, session->dataset);
    session->rows = packed_rows(&session->packed, session->dataset);
  }
  store_init(&session->ledger, &session->host, session->dataset->ledger, session->dataset->name);
  session->store = store_callbacks(&session->ledger);
}

Datum pg_sotto_plan(PG_FUNCTION_ARGS) {
  Session session;
  char *request = text_to_cstring(PG_GETARG_TEXT_PP(1));
  sotto_text card = {NULL, 0};
  sotto_error error;

  session_begin(&session, fcinfo);
  host_check(&session.host,
             session.sharded ? sotto_plan_shards(&session.shards.shards, &session.store, session.dataset->schema, request,
                                                 &card, &error)
                             : sotto_plan(&session.rows, &session.store, session.dataset->schema, request, &card, &error),
             &error);
  if (!session.sharded) packed_close(&session.packed);
  PG_RETURN_TEXT_P(cstring_to_text(text_take(&card)));
}

int64 released_model(int32 ledger, uint64 entry, int stored) {
  Owner before;
  Oid types[2] = {INT4OID, INT8OID};
  Datum values[2] = {Int32GetDatum(ledger), Int64GetDatum((int64)entry)};
  int64 number = 0;
  bool missing = true;

  owner_begin(&before);
  PushActiveSnapshot(GetLatestSnapshot());
  SPI_connect();
  if (SPI_execute_with_args("SELECT id FROM sotto.model WHERE ledger = $1 AND entry = $2", 2, types, values, NULL, true,
                            1) == SPI_OK_SELECT &&
      SPI_processed == 1)
    number = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &missing));
  SPI_finish();
  PopActiveSnapshot();
  owner_end(&before);
  if (missing) elog(ERROR, "the model that was released is not there");
  if (stored)
    ereport(NOTICE, (errmsg("this request was answered before; the same model again, nothing was charged")));
  return number;
}

/* What every training ends with: the text is in the ledger already. */
static int64 session_end(Session *session, sotto_status status, sotto_text *model, uint64 entry, int stored,
                         const sotto_error *error) {
  if (status == SOTTO_OK) sotto_text_free(model);
  host_check(&session->host, status, error);
  store_close(&session->ledger);
  if (!session->sharded) packed_close(&session->packed);
  return released_model(session->dataset->ledger, entry, stored);
}

Datum pg_sotto_train(PG_FUNCTION_ARGS) {
  Session session;
  char *request = text_to_cstring(PG_GETARG_TEXT_PP(1));
  sotto_text model = {NULL, 0};
  sotto_error error;
  sotto_status status;
  uint64_t entry = 0;
  int stored = 0;

  session_begin(&session, fcinfo);
  if (session.sharded)
    status = sotto_train_shards(&session.shards.shards, &session.store, session.dataset->schema, request, &model,
                                &entry, &stored, &error);
  else
    status = sotto_train(&session.rows, &session.store, session.dataset->schema, request, &model, &entry, &stored,
                         &error);
  PG_RETURN_INT64(session_end(&session, status, &model, entry, stored, &error));
}

/* Rows the caller may read, in one block: labels, then rows. */
typedef struct OpenRows {
  Host *host;
  float *block;
} OpenRows;

static int read_open_rows(void *context, uint64_t block, const float **bytes) {
  *bytes = ((OpenRows *)context)->block;
  return 0;
}

static int poll_open_rows(void *context) { return host_poll(((OpenRows *)context)->host); }

static sotto_rows open_rows(Oid source, const Registered *dataset, Host *host) {
  CollectedRows all;
  OpenRows *open = palloc(sizeof(OpenRows));
  sotto_rows rows;
  TableToRead table = {source, GetUserId(), dataset->label, dataset->features, false};
  int count;
  char **columns;
  float *block;
  sotto_encoder *encoder =
      encoder_open(dataset->schema, dataset->label, dataset->features, SOTTO_LABEL_REQUIRED, &count, &columns);

  if (source == dataset->source)
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("public_source: is the table of data set \"%s\"", dataset->name),
                    errhint("Tune on it with parts or random_stopping, which are charged.")));
  collect_table(&table, encoder, false, &all);
  if (all.count < 2 || all.count > PG_UINT32_MAX)
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the public table must have at least two rows")));
  block = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(float) * all.count * ((Size)all.features + 1));
  memcpy(block, all.labels, sizeof(float) * all.count);
  memcpy(block + all.count, all.rows, sizeof(float) * all.count * all.features);
  memset(&rows, 0, sizeof rows);
  open->host = host;
  open->block = block;
  rows.context = open;
  rows.facts = dataset->facts;
  rows.facts.rows = all.count;
  rows.block_rows = (uint32)all.count;
  /* Not theirs: the library refuses the ledger's own rows for public ones, which to whoever may not read those would be
   * an exact answer to a guess at them. Here the table is compared instead, which is public. */
  rows.fingerprint = "0000000000000000000000000000000000000000000000000000000000000000";
  rows.read = read_open_rows;
  rows.poll = poll_open_rows;
  return rows;
}

Datum pg_sotto_tune(PG_FUNCTION_ARGS) {
  Session session;
  char *request = text_to_cstring(PG_GETARG_TEXT_PP(1));
  Oid open_table = PG_GETARG_OID(2);
  sotto_text model = {NULL, 0};
  sotto_rows public_rows;
  sotto_error error;
  sotto_status status;
  uint64_t entry = 0;
  int stored = 0;

  if (OidIsValid(open_table))
    public_rows = open_rows(open_table, registered_load(text_to_cstring(PG_GETARG_TEXT_PP(0))), &session.host);
  session_begin(&session, fcinfo);
  if (session.sharded)
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("a sharded data set cannot be tuned on")));
  status = sotto_tune(&session.rows, OidIsValid(open_table) ? &public_rows : NULL, &session.store,
                      session.dataset->schema, request, &model, &entry, &stored, &error);
  PG_RETURN_INT64(session_end(&session, status, &model, entry, stored, &error));
}
