#include "extension.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "catalog/namespace.h"
#include "access/xact.h"

/*
 * Registering a table, reading it anew, giving it up; and what its curator may do with its ledger.
 */

PG_FUNCTION_INFO_V1(pg_sotto_register);
PG_FUNCTION_INFO_V1(pg_sotto_refresh);
PG_FUNCTION_INFO_V1(pg_sotto_unregister);
PG_FUNCTION_INFO_V1(pg_sotto_verify);
PG_FUNCTION_INFO_V1(pg_sotto_move_ledger);

static void run_as_owner(const char *query) {
  Owner before;

  owner_begin(&before);
  SPI_connect();
  if (SPI_execute(query, false, 0) < 0) elog(ERROR, "a query failed");
  SPI_finish();
  owner_end(&before);
}

/* The first column of the first row, or null. Arguments are texts. */
static char *ask_as_owner(const char *query, int count, const char **arguments) {
  Owner before;
  MemoryContext caller = CurrentMemoryContext;
  Oid types[16];
  Datum values[16];
  char nulls[16] = {0};
  char *answer = NULL;

  for (int i = 0; i < count; ++i) {
    types[i] = TEXTOID;
    nulls[i] = arguments[i] == NULL ? 'n' : ' ';
    values[i] = arguments[i] == NULL ? (Datum)0 : CStringGetTextDatum(arguments[i]);
  }
  owner_begin(&before);
  SPI_connect();
  if (SPI_execute_with_args(query, count, types, values, nulls, false, 1) < 0) elog(ERROR, "a query failed");
  if (SPI_tuptable != NULL && SPI_processed > 0) {
    char *value = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);

    if (value != NULL) answer = MemoryContextStrdup(caller, value);
  }
  SPI_finish();
  owner_end(&before);
  return answer;
}

static Oid make_block_table(int32 id, int32 generation) {
  char *name = block_table_name(id, generation);

  run_as_owner(psprintf("CREATE TABLE sotto_data.%s (block pg_catalog.int4 NOT NULL, rows pg_catalog.bytea NOT NULL) "
                        "USING heap",
                        name));
  run_as_owner(psprintf("ALTER TABLE sotto_data.%s ALTER COLUMN rows SET STORAGE PLAIN", name));
  CommandCounterIncrement();
  return get_relname_relid(name, get_namespace_oid("sotto_data", false));
}

static sotto_rows rows_without_reading(const Packing *packing) {
  sotto_rows rows;

  memset(&rows, 0, sizeof rows);
  rows.facts = packing->facts;
  rows.block_rows = packing->block_rows;
  rows.fingerprint = packing->fingerprint;
  return rows;
}

static void require_rows(const Packing *packing) {
  if (packing->facts.rows > 0) return;
  ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("the table has no rows")));
}

/*
 * The ledger of these rows: a budget is granted once, so rows that had one keep it, with what was spent of it,
 * whatever they are called now.
 */
static int32 ledger_of(const Packing *packing, int32 id, const char *name, const char *options) {
  Host host;
  LedgerStore store;
  sotto_store callbacks;
  sotto_error error;
  sotto_rows rows = rows_without_reading(packing);
  const char *fingerprint[1] = {packing->fingerprint};
  const char *terms[2];
  char *known = ask_as_owner("SELECT ledger FROM sotto.ledger_head WHERE fingerprint = $1", 1, fingerprint);

  if (known != NULL) {
    terms[0] = known;
    terms[1] = options;
    if (ask_as_owner("SELECT name FROM sotto.dataset WHERE ledger = $1::int4", 1, terms) != NULL)
      ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT), errmsg("these rows are registered already")));
    if (ask_as_owner("SELECT 1 FROM sotto.ledger_head WHERE ledger = $1::int4 AND epsilon = "
                     "($2::json->>'budget_epsilon')::float8 AND delta = ($2::json->>'budget_delta')::float8 "
                     "AND coalesce($2::json->>'filter', filter) = filter",
                     2, terms) == NULL)
      ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT), errmsg("these rows had another budget before"),
                      errdetail("A budget is granted once; register them with the same one to go on.")));
    return pg_strtoint32(known);
  }
  host_init(&host);
  store_init(&store, &host, id, name);
  callbacks = store_callbacks(&store);
  host_check(&host, sotto_ledger_create(&callbacks, anchor_path(packing->fingerprint), &rows, options, &error),
             &error);
  return id;
}

static char *number(uint64 value) { return psprintf(UINT64_FORMAT, value); }

static void check_encoding(void) {
  if (GetDatabaseEncoding() == PG_UTF8 || GetDatabaseEncoding() == PG_SQL_ASCII) return;
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("the database must be in UTF8")));
}

Datum pg_sotto_register(PG_FUNCTION_ARGS) {
  char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
  Oid source = PG_GETARG_OID(1);
  char *label = text_to_cstring(PG_GETARG_TEXT_PP(2));
  char *features = text_to_cstring(PG_GETARG_TEXT_PP(3));
  char *options = text_to_cstring(PG_GETARG_TEXT_PP(4));
  char *budget = text_to_cstring(PG_GETARG_TEXT_PP(5));
  const char *arguments[13];
  sotto_text schema_text = {NULL, 0};
  sotto_error error;
  char *schema;
  int32 id;
  Packing packing;

  check_encoding();
  (void)anchor_path(""); /* asked for before the work is done */
  host_check(NULL, sotto_schema(label, features, options, &schema_text, &error), &error);
  schema = text_take(&schema_text);
  id = pg_strtoint32(ask_as_owner("SELECT nextval('sotto.dataset_id')", 0, NULL));
  pack_table(source, schema, label, features, make_block_table(id, 1), &packing);
  require_rows(&packing);
  arguments[0] = psprintf("%d", id);
  arguments[1] = name;
  arguments[2] = psprintf("%u", source);
  arguments[3] = label;
  arguments[4] = features;
  arguments[5] = schema;
  arguments[6] = number(packing.facts.rows);
  arguments[7] = number(packing.facts.features);
  arguments[8] = number(packing.facts.classes);
  arguments[9] = psprintf("%.17g", packing.facts.data_norm);
  arguments[10] = number(packing.block_rows);
  arguments[11] = packing.fingerprint;
  /* The name is taken before the ledger is made: what fails until here leaves nothing behind. */
  ask_as_owner("INSERT INTO sotto.dataset (id, name, generation, source, label, features, encoding, row_count, "
               "feature_count, class_count, data_norm, block_rows, fingerprint, ledger) VALUES ($1::int4, $2, 1, "
               "$3::oid::regclass, $4, $5, $6, $7::int8, $8::int4, $9::int4, $10::float8, $11::int4, $12, $1::int4)",
               12, arguments);
  arguments[12] = psprintf("%d", ledger_of(&packing, id, name, budget));
  arguments[1] = arguments[12];
  ask_as_owner("UPDATE sotto.dataset SET ledger = $2::int4 WHERE id = $1::int4", 2, arguments);
  PG_RETURN_INT32(id);
}

Datum pg_sotto_refresh(PG_FUNCTION_ARGS) {
  Registered *dataset = registered_load(text_to_cstring(PG_GETARG_TEXT_PP(0)));
  Host host;
  LedgerStore store;
  sotto_store callbacks;
  sotto_error error;
  sotto_rows rows;
  Packing packing;
  const char *arguments[4];
  const char *others[2];

  host_init(&host);
  pack_table(dataset->source, dataset->schema, dataset->label, dataset->features,
             make_block_table(dataset->id, dataset->generation + 1), &packing);
  require_rows(&packing);
  others[0] = packing.fingerprint;
  others[1] = psprintf("%d", dataset->ledger);
  if (ask_as_owner("SELECT 1 FROM sotto.ledger_head WHERE fingerprint = $1 AND ledger <> $2::int4", 2, others) != NULL)
    ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT), errmsg("these rows have a budget of their own already")));
  arguments[0] = psprintf("%d", dataset->id);
  arguments[1] = psprintf("%d", dataset->generation + 1);
  arguments[2] = number(packing.facts.rows);
  arguments[3] = packing.fingerprint;
  ask_as_owner("UPDATE sotto.dataset SET generation = $2::int4, row_count = $3::int8, fingerprint = $4, refreshed = "
               "clock_timestamp() WHERE id = $1::int4",
               4, arguments);
  rows = rows_without_reading(&packing);
  store_init(&store, &host, dataset->ledger, dataset->name);
  callbacks = store_callbacks(&store);
  host_check(&host, sotto_ledger_rebind(&callbacks, &rows, &error), &error);
  run_as_owner(psprintf("DROP TABLE sotto_data.%s", block_table_name(dataset->id, dataset->generation)));
  PG_RETURN_VOID();
}

Datum pg_sotto_unregister(PG_FUNCTION_ARGS) {
  Registered *dataset = registered_load(text_to_cstring(PG_GETARG_TEXT_PP(0)));
  const char *arguments[1] = {psprintf("%d", dataset->id)};

  ask_as_owner("DELETE FROM sotto.dataset WHERE id = $1::int4", 1, arguments);
  run_as_owner(psprintf("DROP TABLE IF EXISTS sotto_data.%s", block_table_name(dataset->id, dataset->generation)));
  PG_RETURN_VOID();
}

Datum pg_sotto_verify(PG_FUNCTION_ARGS) {
  Registered *dataset = registered_load(text_to_cstring(PG_GETARG_TEXT_PP(0)));
  Host host;
  LedgerStore store;
  sotto_store callbacks;
  sotto_text report = {NULL, 0};
  sotto_error error;

  host_init(&host);
  store_init(&store, &host, dataset->ledger, dataset->name);
  callbacks = store_callbacks(&store);
  host_check(&host, sotto_ledger_verify(&callbacks, &report, &error), &error);
  PG_RETURN_TEXT_P(cstring_to_text(text_take(&report)));
}

Datum pg_sotto_move_ledger(PG_FUNCTION_ARGS) {
  Registered *dataset = registered_load(text_to_cstring(PG_GETARG_TEXT_PP(0)));
  Host host;
  LedgerStore store;
  sotto_store callbacks;
  sotto_error error;
  char *anchor;
  const char *arguments[1] = {psprintf("%d", dataset->ledger)};

  host_init(&host);
  store_init(&store, &host, dataset->ledger, dataset->name);
  callbacks = store_callbacks(&store);
  /* The anchor keeps the name it was made with. */
  anchor = ask_as_owner("SELECT regexp_replace(detail::json->>'anchor', '^.*/([0-9a-f]{64})[.]anchor$', '\\1') FROM "
                        "sotto.ledger_record WHERE ledger = $1::int4 AND sequence = 1",
                        1, arguments);
  if (anchor == NULL) elog(ERROR, "the ledger has no place");
  host_check(&host, sotto_ledger_move(&callbacks, anchor_path(anchor), &error), &error);
  PG_RETURN_VOID();
}
