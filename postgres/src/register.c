#include "extension.h"

#include "catalog/pg_authid.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
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
PG_FUNCTION_INFO_V1(pg_sotto_public_key);
PG_FUNCTION_INFO_V1(pg_sotto_grant_share);
PG_FUNCTION_INFO_V1(pg_sotto_lower_budget);

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

/* Whatever is granted by default on new tables of the owner's. Nobody has seen this one yet. */
static void close_to_others(const char *name) {
  const char *arguments[1] = {name};
  char *revokes = ask_as_owner("SELECT string_agg(format('REVOKE ALL ON TABLE sotto_data.%I FROM %s CASCADE', relname, CASE "
                               "grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END), ';') FROM (SELECT DISTINCT "
                               "relname, grantee FROM pg_class, aclexplode(relacl) WHERE relname = $1 AND relnamespace = "
                               "'sotto_data'::regnamespace AND grantee <> relowner) others",
                               1, arguments);

  if (revokes != NULL) run_as_owner(revokes);
}

static Oid make_block_table(int32 id, int32 generation) {
  char *name = block_table_name(id, generation);

  run_as_owner(psprintf("CREATE TABLE sotto_data.%s (block pg_catalog.int4 NOT NULL, rows pg_catalog.bytea NOT NULL) "
                        "USING heap",
                        name));
  run_as_owner(psprintf("ALTER TABLE sotto_data.%s ALTER COLUMN rows SET STORAGE PLAIN", name));
  CommandCounterIncrement();
  close_to_others(name);
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
 * whatever they are called now. Where nothing was charged it has the budget that is said now.
 */
static int32 ledger_of(const Packing *packing, LedgerStore *store, const char *options) {
  sotto_store callbacks = store_callbacks(store);
  sotto_error error;
  sotto_rows rows = rows_without_reading(packing);
  const char *fingerprint[1] = {packing->fingerprint};
  char *name;
  char *known = ask_as_owner("SELECT ledger FROM sotto.ledger_head WHERE fingerprint = $1", 1, fingerprint);

  if (known != NULL) {
    /* That they are refused tells a curator that these rows are another's. A second budget for them would be worse:
     * so it is told, and written down who asked. */
    ereport(LOG_SERVER_ONLY, (errmsg("rows that have a ledger were registered again as \"%s\" by %s", store->dataset,
                                     GetUserNameFromId(GetUserId(), false))));
    name = ask_as_owner("SELECT name FROM sotto.dataset WHERE ledger = $1::int4", 1, (const char **)&known);
    if (name != NULL)
      ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT), errmsg("these rows are registered already, as \"%s\"", name),
                      errhint("To declare them otherwise: SELECT sotto.unregister(%s), then register them again. Their "
                              "budget can be changed so while nothing was charged to it.",
                              quote_literal_cstr(name))));
    store_use(store, pg_strtoint32(known));
    callbacks = store_callbacks(store);
    host_check(store->host, sotto_ledger_resume(&callbacks, &rows, options, &error), &error);
    return store->ledger;
  }
  host_check(store->host, sotto_ledger_create(&callbacks, anchor_path(packing->fingerprint), &rows, options, &error),
             &error);
  return store->ledger;
}

/*
 * From here to the end of their transactions registrations come one after the other, in all databases: of those of the
 * same rows the later ones see the first, and make no ledger. Not one lock for each fingerprint: everyone may look at
 * locks. Whoever has this one makes all others wait, so what can be waited for is waited for before.
 */
static void wait_for_others(void) { LockSharedObject(AuthIdRelationId, owner_role(), 0, ExclusiveLock); }

static char *number(uint64 value) { return psprintf(UINT64_FORMAT, value); }

static void check_encoding(void) {
  if (GetDatabaseEncoding() == PG_UTF8 || GetDatabaseEncoding() == PG_SQL_ASCII) return;
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("the database must be in UTF8")));
}

/* Whether the rows are checked; by default they are. Of options that are known to be sound. */
static bool is_checked(const char *options) {
  const char *arguments[1] = {options};

  return ask_as_owner("SELECT 1 WHERE ($1::json->>'check')::bool IS FALSE", 1, arguments) == NULL;
}

/* What a check finds is told to who is logged in. In a function of a curator's with the rights of its owner that may be
 * someone who must not read the rows. */
static bool hears_checks(void) { return has_privs_of_role(GetSessionUserId(), GetUserId()); }

/* The ledger's terms remember that there is no check, for when the rows are read anew. */
static char *without_check(char *budget) {
  const char *first = strchr(budget, '{');

  return first == NULL ? budget : psprintf("{\"blind\": true, %s", first + 1);
}

/* As the core reads it: terms that say nothing are older than the check, and promised that nothing is told. */
static bool ledger_is_blind(int32 ledger) {
  const char *arguments[1] = {psprintf("%d", ledger)};

  return ask_as_owner("SELECT 1 FROM sotto.ledger_record WHERE ledger = $1::int4 AND sequence = 0 AND "
                      "coalesce((detail::json->>'blind')::bool, true)",
                      1, arguments) != NULL;
}

/* What a table holds, and its copy if it gets one. */
static void take_stock(Registered *dataset, int32 generation, ShardSet *set, Packing *packing) {
  Host host;
  TableToRead table = {dataset->source, registrar_of(dataset), dataset->label, dataset->features, true};

  switch (dataset->layout) {
    case LAYOUT_PACKED:
      pack_table(&table, dataset->schema, make_block_table(dataset->id, generation), packing);
      break;
    case LAYOUT_UNPACKED:
      table.shuffled = false;
      survey_table(&table, dataset->schema, packing);
      break;
    case LAYOUT_SHARDED: {
      int count;
      char **columns;

      packing->facts = sotto_encoder_facts(
          encoder_open(dataset->schema, dataset->label, dataset->features, SOTTO_LABEL_REQUIRED, &count, &columns));
      packing->block_rows = 0;
      shards_survey(set, &host, dataset, packing->fingerprint);
      for (int i = 0; i < set->count; ++i) packing->facts.rows += set->sizes[i];
      break;
    }
  }
  require_rows(packing);
}

static void write_shards(const Registered *dataset, const ShardSet *set) {
  const char *arguments[5];

  arguments[0] = psprintf("%d", dataset->id);
  ask_as_owner("DELETE FROM sotto.shard WHERE dataset = $1::int4", 1, arguments);
  for (int i = 0; dataset->layout == LAYOUT_SHARDED && i < set->count; ++i) {
    arguments[1] = psprintf("%d", i);
    arguments[2] = set->values[i];
    arguments[3] = number(set->sizes[i]);
    arguments[4] = set->fingerprints[i];
    ask_as_owner("INSERT INTO sotto.shard (dataset, place, value, row_count, fingerprint) VALUES ($1::int4, $2::int4, "
                 "$3, $4::int8, $5)",
                 5, arguments);
  }
}

static void insert_dataset(const Registered *dataset, const Packing *packing) {
  const char *arguments[14];

  arguments[0] = psprintf("%d", dataset->id);
  arguments[1] = dataset->name;
  arguments[2] = psprintf("%u", dataset->source);
  arguments[3] = dataset->label;
  arguments[4] = dataset->features;
  arguments[5] = dataset->schema;
  arguments[6] = number(packing->facts.rows);
  arguments[7] = number(packing->facts.features);
  arguments[8] = number(packing->facts.classes);
  arguments[9] = psprintf("%.17g", packing->facts.data_norm);
  arguments[10] = number(packing->block_rows);
  arguments[11] = packing->fingerprint;
  arguments[12] = layout_name(dataset->layout);
  arguments[13] = dataset->curator;
  if (ask_as_owner("INSERT INTO sotto.dataset (id, name, generation, source, label, features, encoding, row_count, "
                   "feature_count, class_count, data_norm, block_rows, fingerprint, ledger, layout, curator) VALUES "
                   "($1::int4, $2, 1, $3::oid::regclass, $4, $5, $6, $7::int8, $8::int4, $9::int4, $10::float8, "
                   "$11::int4, $12, $1::int4, $13, $14) ON CONFLICT (name) DO NOTHING RETURNING id",
                   14, arguments) == NULL)
    ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT), errmsg("there is a data set \"%s\" already", dataset->name)));
}

Datum pg_sotto_register(PG_FUNCTION_ARGS) {
  Registered dataset;
  char *options;
  char *budget;
  const char *arguments[2];
  sotto_text schema_text = {NULL, 0};
  sotto_error error;
  Host host;
  LedgerStore store;
  ShardSet set;
  Packing packing;

  for (int i = 0; i < PG_NARGS(); ++i)
    if (PG_ARGISNULL(i))
      ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("nothing but delta may be NULL"),
                      errhint("SELECT sotto.help('register') shows an example.")));
  memset(&dataset, 0, sizeof dataset);
  memset(&set, 0, sizeof set);
  options = text_to_cstring(PG_GETARG_TEXT_PP(4));
  budget = text_to_cstring(PG_GETARG_TEXT_PP(5));
  dataset.name = text_to_cstring(PG_GETARG_TEXT_PP(0));
  dataset.source = PG_GETARG_OID(1);
  dataset.label = text_to_cstring(PG_GETARG_TEXT_PP(2));
  dataset.features = text_to_cstring(PG_GETARG_TEXT_PP(3));
  dataset.layout = layout_by_name(text_to_cstring(PG_GETARG_TEXT_PP(6)));
  dataset.curator = GetUserNameFromId(GetUserId(), false);
  dataset.fingerprint = "";
  check_encoding();
  require_utf8(dataset.name, "the name of a data set");
  require_utf8(dataset.curator, "the name of the user");
  (void)anchor_place(); /* asked for before the work is done */
  host_check(NULL, sotto_schema(dataset.label, dataset.features, options,
                                 column_types(dataset.source), &schema_text, &error), &error);
  dataset.schema = text_take(&schema_text);
  packing.check = is_checked(options);
  if (!packing.check) budget = without_check(budget);
  packing.check = packing.check && hears_checks();
  dataset.id = pg_strtoint32(ask_as_owner("SELECT nextval('sotto.dataset_id')", 0, NULL));
  take_stock(&dataset, 1, &set, &packing);
  /* The name is taken before the ledger is made: what fails until here leaves nothing behind. */
  insert_dataset(&dataset, &packing);
  write_shards(&dataset, &set);
  host_init(&host);
  store_init(&store, &host, dataset.id, dataset.name);
  store_prepare(&store);
  wait_for_others();
  arguments[0] = psprintf("%d", dataset.id);
  arguments[1] = psprintf("%d", ledger_of(&packing, &store, budget));
  store_close(&store);
  ask_as_owner("UPDATE sotto.dataset SET ledger = $2::int4 WHERE id = $1::int4", 2, arguments);
  PG_RETURN_INT32(dataset.id);
}

/* Whose budget it is. */
static void require_registrar(const Registered *dataset) {
  if (superuser() || has_privs_of_role(GetUserId(), registrar_of(dataset))) return;
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                  errmsg("permission denied for data set \"%s\"", dataset->name),
                  errdetail("Only members of the role that registered it may refresh, unregister or share it.")));
}

static void drop_copy(const Registered *dataset) {
  if (dataset->layout == LAYOUT_PACKED)
    run_as_owner(psprintf("DROP TABLE IF EXISTS sotto_data.%s", block_table_name(dataset->id, dataset->generation)));
}

/* Trainings that read the former copy are waited for, and nobody else unregisters or refreshes the data set. */
static void wait_for_readers(const Registered *dataset) {
  const char *arguments[2] = {psprintf("%d", dataset->id), psprintf("%d", dataset->generation)};
  Oid copy;

  if (ask_as_owner("SELECT 1 FROM sotto.dataset WHERE id = $1::int4 AND generation = $2::int4 FOR UPDATE", 2,
                   arguments) == NULL)
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("data set \"%s\" was refreshed or unregistered meanwhile", dataset->name)));
  if (dataset->layout != LAYOUT_PACKED) return;
  copy = get_relname_relid(block_table_name(dataset->id, dataset->generation), get_namespace_oid("sotto_data", false));
  if (OidIsValid(copy)) LockRelationOid(copy, AccessExclusiveLock);
}

Datum pg_sotto_refresh(PG_FUNCTION_ARGS) {
  Registered *dataset = registered_load(text_to_cstring(PG_GETARG_TEXT_PP(0)));
  Host host;
  LedgerStore store;
  sotto_store callbacks;
  sotto_error error;
  sotto_rows rows;
  Packing packing;
  ShardSet set;
  const char *arguments[4];
  const char *others[2];

  require_registrar(dataset);
  host_init(&host);
  packing.check = !ledger_is_blind(dataset->ledger) && hears_checks();
  take_stock(dataset, dataset->generation + 1, &set, &packing);
  wait_for_readers(dataset);
  write_shards(dataset, &set);
  store_init(&store, &host, dataset->ledger, dataset->name);
  store_prepare(&store);
  wait_for_others();
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
  callbacks = store_callbacks(&store);
  host_check(&host, sotto_ledger_rebind(&callbacks, anchor_path(packing.fingerprint), &rows, &error), &error);
  store_close(&store);
  drop_copy(dataset);
  PG_RETURN_VOID();
}

Datum pg_sotto_unregister(PG_FUNCTION_ARGS) {
  Registered *dataset = registered_load(text_to_cstring(PG_GETARG_TEXT_PP(0)));
  const char *arguments[1] = {psprintf("%d", dataset->id)};

  require_registrar(dataset);
  ask_as_owner("DELETE FROM sotto.shard WHERE dataset = $1::int4", 1, arguments);
  ask_as_owner("DELETE FROM sotto.dataset WHERE id = $1::int4", 1, arguments);
  drop_copy(dataset);
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
  /* The anchor is named after the rows the ledger is about. */
  anchor = ask_as_owner("SELECT regexp_replace(detail::json->>'anchor', '^.*/([0-9a-f]{64})[.]anchor$', '\\1') FROM "
                        "sotto.ledger_record WHERE ledger = $1::int4 AND kind = 'placed' ORDER BY sequence DESC LIMIT 1",
                        1, arguments);
  if (anchor == NULL) elog(ERROR, "the ledger has no place");
  host_check(&host, sotto_ledger_move(&callbacks, anchor_path(anchor), &error), &error);
  store_close(&store);
  PG_RETURN_VOID();
}

Datum pg_sotto_public_key(PG_FUNCTION_ARGS) {
  Registered *dataset = registered_load(text_to_cstring(PG_GETARG_TEXT_PP(0)));
  Host host;
  LedgerStore store;
  sotto_store callbacks;
  sotto_text pem = {NULL, 0};
  sotto_error error;

  require_primary();
  host_init(&host);
  store_init(&store, &host, dataset->ledger, dataset->name);
  callbacks = store_callbacks(&store);
  host_check(&host, sotto_ledger_public_key(&callbacks, &pem, &error), &error);
  PG_RETURN_TEXT_P(cstring_to_text(text_take(&pem)));
}

Datum pg_sotto_grant_share(PG_FUNCTION_ARGS) {
  Registered *dataset = registered_load(text_to_cstring(PG_GETARG_TEXT_PP(0)));
  char *analyst = GetUserNameFromId(PG_GETARG_OID(1), false);
  Host host;
  LedgerStore store;
  sotto_store callbacks;
  sotto_error error;

  require_registrar(dataset);
  require_primary();
  require_utf8(analyst, "the name of the analyst");
  host_init(&host);
  store_init(&store, &host, dataset->ledger, dataset->name);
  callbacks = store_callbacks(&store);
  host_check(&host, sotto_ledger_grant(&callbacks, analyst, PG_GETARG_FLOAT8(2), &error), &error);
  PG_RETURN_VOID();
}

Datum pg_sotto_lower_budget(PG_FUNCTION_ARGS) {
  Registered *dataset;
  Host host;
  LedgerStore store;
  sotto_store callbacks;
  sotto_error error;
  double delta = PG_ARGISNULL(2) ? 0 : PG_GETARG_FLOAT8(2);

  if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
    ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("say which data set and which epsilon")));
  dataset = registered_load(text_to_cstring(PG_GETARG_TEXT_PP(0)));
  require_registrar(dataset);
  require_primary();
  host_init(&host);
  store_init(&store, &host, dataset->ledger, dataset->name);
  callbacks = store_callbacks(&store);
  host_check(&host, sotto_ledger_lower(&callbacks, PG_GETARG_FLOAT8(1), PG_ARGISNULL(2) ? NULL : &delta, &error), &error);
  store_close(&store);
  PG_RETURN_VOID();
}
