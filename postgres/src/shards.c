#include "extension.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include <sys/stat.h>

/*
 * A data set on several servers: a table partitioned by a list over foreign tables, one value of a public column each.
 * The aggregate is sent to the shards, grouped by that column; what comes back is one sealed result a shard. A plan in
 * which a row would be shipped is refused before anything is charged.
 */

/* The secret of all servers of a data set: a file beside the anchors, in no dump, log or backup of the database. */
char *cluster_key(void) {
  char path[MAXPGPATH];
  char key[65] = {0};
  FILE *file;
  size_t size;
  struct stat status;

  snprintf(path, sizeof path, "%s/cluster.key", anchor_place());
  file = AllocateFile(path, "r");
  if (file == NULL)
    ereport(ERROR, (errcode(ERRCODE_CONFIG_FILE_ERROR), errmsg("the key of the shards cannot be read"),
                    errhint("Put the same 64 random hexadecimal digits into cluster.key in sotto.anchor_directory of "
                            "every server, readable by the server alone.")));
  if (fstat(fileno(file), &status) != 0 || (status.st_mode & 077) != 0)
    ereport(ERROR, (errcode(ERRCODE_CONFIG_FILE_ERROR),
                    errmsg("the key of the shards must be readable by the server alone (mode 600)")));
  size = fread(key, 1, 64, file);
  FreeFile(file);
  if (size != 64 || strspn(key, "0123456789abcdef") != 64)
    ereport(ERROR, (errcode(ERRCODE_CONFIG_FILE_ERROR), errmsg("the key of the shards must be 64 hexadecimal digits")));
  return pstrdup(key);
}

/* As the reader of the data set. Aggregating at the shards is wanted whatever its estimated cost, and what the shards
 * remark is not for the caller. */
static void asking_begin(Owner *before, Oid reader) {
  const char *settings[][2] = {{"client_min_messages", "error"},
                               {"enable_partitionwise_aggregate", "on"},
                               {"enable_hashagg", "off"},
                               {"enable_sort", "off"}};

  reader_begin(before, reader);
  for (int i = 0; i < (int)lengthof(settings); ++i)
    set_for_now(settings[i][0], settings[i][1]);
}

/* To the log alone, whatever the session wants to be told. */
static void log_for_holder(void *unused, const char *text) {
  ereport(LOG_SERVER_ONLY, (errmsg("shards of a data set: %s", text), errhidestmt(true), errhidecontext(true)));
}

static char *bytes_literal(const char *text) {
  StringInfoData literal;

  initStringInfo(&literal);
  appendStringInfoString(&literal, "'\\x");
  for (; *text != '\0'; ++text) appendStringInfo(&literal, "%02x", (unsigned char)*text);
  appendStringInfoString(&literal, "'::pg_catalog.bytea");
  return literal.data;
}

/* The rest of a call of an aggregate over the source of a data set: its row, ") FROM " and the table. */
static char *aggregate_arguments(const Registered *dataset) {
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

static char *shard_query(const ShardSet *set, const char *task) {
  return psprintf("SELECT %s, sotto_internal.shard_%s(%s, %s GROUP BY 1", quote_identifier(set->column),
                  dataset_is_array(set->dataset) ? "array" : "cells", bytes_literal(task),
                  aggregate_arguments(set->dataset));
}

static int shard_named(const ShardSet *set, const char *value) {
  for (int i = 0; i < set->count; ++i)
    if (value != NULL && strcmp(set->values[i], value) == 0) return i;
  return -1;
}

/*
 * An error of a shard is the curator's. Whoever else asked is told one fixed thing, as if it had come from the library,
 * and the log of the server has the rest. A cancel or a shutdown of this server stays what it is.
 */
static void hide_error(Host *host, const char *instead) {
  ErrorData *kept = host->kept;
  bool ours = kept->funcname != NULL && strcmp(kept->funcname, "ProcessInterrupts") == 0;

  log_for_holder(NULL, kept->message);
  kept->detail = kept->hint = kept->context = kept->detail_log = NULL;
  if (ours) return;
  host->instead = instead;
}

typedef struct Planning {
  const ShardSet *set;
  char *plan;
} Planning;

static void plan_query(void *context) {
  Planning *planning = context;
  MemoryContext caller = CurrentMemoryContext;
  char *query = psprintf("EXPLAIN (FORMAT JSON, COSTS OFF) %s", shard_query(planning->set, ""));
  Owner before;
  Portal cursor;

  asking_begin(&before, planning->set->reader);
  SPI_connect();
  cursor = open_cursor(query, planning->set->dataset->source);
  SPI_cursor_fetch(cursor, true, FETCH_ALL);
  if (SPI_processed != 1) elog(ERROR, "the shards cannot be planned");
  planning->plan =
      MemoryContextStrdup(caller, SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1));
  SPI_cursor_close(cursor);
  SPI_finish();
  owner_end(&before);
}

/* Every group must come from a foreign scan that aggregates there. */
static void check_pushed(const ShardSet *set) {
  Planning planning = {set, NULL};
  sotto_error none = {{0}};
  char *plan;

  if (host_protect(set->host, plan_query, &planning) != 0) {
    if (set->training) hide_error(set->host, "the shards cannot be planned");
    host_check(set->host, SOTTO_STOPPED, &none);
  }
  plan = planning.plan;
  if (strstr(plan, "\"Node Type\": \"Aggregate\"") != NULL || strstr(plan, "\"Node Type\": \"Foreign Scan\"") == NULL)
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("rows of the shards would be shipped"),
                    errhint("Every partition must be a foreign table whose server has the option extensions 'sotto'.")));
}

typedef struct Asking {
  ShardSet *set;
  const char *task;
  void (*take)(void *, size_t, const char *, size_t);
  void *taker;
} Asking;

static void ask_shards(void *context) {
  Asking *asking = context;
  ShardSet *set = asking->set;
  char *query = shard_query(set, asking->task);
  Owner before;
  Portal cursor;

  asking_begin(&before, set->reader);
  SPI_connect();
  cursor = open_cursor(query, set->dataset->source);
  SPI_cursor_fetch(cursor, true, FETCH_ALL);
  for (uint64 i = 0; i < SPI_processed; ++i) {
    bool missing = true;
    char *value = SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1);
    Datum sealed = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 2, &missing);
    int shard = shard_named(set, value);
    bytea *bytes;

    if (missing || shard < 0)
      ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("there are shards that were not registered")));
    bytes = DatumGetByteaPP(sealed);
    asking->take(asking->taker, (size_t)shard, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
  }
  SPI_cursor_close(cursor);
  SPI_finish();
  owner_end(&before);
}

static int run_task(void *context, const char *task, void (*take)(void *, size_t, const char *, size_t), void *taker) {
  ShardSet *set = context;
  Asking asking = {set, task, take, taker};

  if (host_protect(set->host, ask_shards, &asking) == 0) return 0;
  if (set->training) hide_error(set->host, SOTTO_SHARDS_FAILED);
  return 1;
}

/* The rows of a query, as texts. Asked as the owner: an operator in the caller's search path must not decide which
 * column or shard this is. */
static int ask_list(const char *query, const char *argument, char ***first, char ***second, char ***third) {
  Oid types[1] = {TEXTOID};
  Datum values[1] = {CStringGetTextDatum(argument)};
  MemoryContext caller = CurrentMemoryContext;
  char ***outs[3] = {first, second, third};
  Owner before;
  int count;

  owner_begin(&before);
  SPI_connect();
  if (SPI_execute_with_args(query, 1, types, values, NULL, true, 0) != SPI_OK_SELECT) elog(ERROR, "a query failed");
  count = (int)SPI_processed;
  for (int c = 0; c < 3; ++c) {
    if (outs[c] == NULL) continue;
    *outs[c] = MemoryContextAllocZero(caller, sizeof(char *) * (count + 1));
    for (int i = 0; i < count; ++i) {
      char *value = SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, c + 1);

      (*outs[c])[i] = value == NULL ? NULL : MemoryContextStrdup(caller, value);
    }
  }
  SPI_finish();
  owner_end(&before);
  return count;
}

/* Rows are grouped by it, so its operators must be the server's own. */
static void require_whole_number(Oid source, const char *column) {
  Oid type = get_atttype(source, get_attnum(source, column));

  if (type == INT2OID || type == INT4OID || type == INT8OID) return;
  ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                  errmsg("a sharded table must be partitioned by a whole number (int2, int4 or int8)")));
}

/* The shards of a table as its partitions are declared. */
static void find_shards(ShardSet *set, Oid source, const Registered *dataset) {
  char *relation = psprintf("%u", source);
  char **columns;
  char **declared;
  int count;

  if (ask_list("SELECT a.attname, p.partattrs::pg_catalog.text FROM pg_catalog.pg_partitioned_table p JOIN "
               "pg_catalog.pg_attribute a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0] WHERE p.partrelid = "
               "$1::pg_catalog.oid AND p.partstrat = 'l' AND p.partnatts = 1",
               relation, &columns, NULL, NULL) != 1)
    ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                    errmsg("a sharded table must be partitioned by a list over one column")));
  set->column = columns[0];
  require_whole_number(source, set->column);
  require_plain_columns(source, dataset->label, dataset->features, dataset_is_array(dataset));
  declared = declared_columns(dataset->features, &count);
  for (int i = 0; i <= count; ++i)
    if (strcmp(i < count ? declared[i] : dataset->label, set->column) == 0)
      ereport(ERROR, (errcode(ERRCODE_INVALID_COLUMN_REFERENCE),
                      errmsg("the shard of a row must not be one of its features or its label"),
                      errdetail("Which shard a row is in must not depend on its values.")));
  set->count = ask_list("SELECT pg_catalog.btrim(pg_catalog.substring(pg_catalog.pg_get_expr(c.relpartbound, c.oid), "
                        "'^FOR VALUES IN [(](.*)[)]$'), '''') FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c "
                        "ON c.oid = i.inhrelid WHERE i.inhparent = $1::pg_catalog.oid ORDER BY c.relname",
                        relation, &set->values, NULL, NULL);
  for (int i = 0; i < set->count; ++i)
    if (set->values[i] == NULL || strspn(set->values[i], "-0123456789") != strlen(set->values[i]))
      ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("every partition must be for one whole number")));
}

static void fill(ShardSet *set, Host *host, Registered *dataset) {
  set->host = host;
  set->dataset = dataset;
  set->reader = dataset_reader(dataset);
  memset(&set->shards, 0, sizeof set->shards);
  set->shards.context = set;
  set->shards.facts = dataset->facts;
  set->shards.fingerprint = dataset->fingerprint;
  set->shards.count = (size_t)set->count;
  set->shards.key = cluster_key();
  set->shards.run = run_task;
  set->shards.log = log_for_holder;
}

void shards_survey(ShardSet *set, Host *host, Registered *dataset, char whole[65]) {
  sotto_error error;

  host_init(host);
  set->training = false;
  find_shards(set, dataset->source, dataset);
  fill(set, host, dataset);
  check_pushed(set);
  set->sizes = palloc0(sizeof(uint64_t) * set->count);
  set->fingerprints = palloc0(65 * (Size)set->count);
  host_check(host, sotto_shards_describe(&set->shards, dataset->schema, set->sizes, set->fingerprints, whole, &error),
             &error);
}

void shards_open(ShardSet *set, Host *host, Registered *dataset) {
  char **rows;
  char **fingerprints;
  const char **each;

  host_init(host);
  set->training = true;
  find_shards(set, dataset->source, dataset);
  set->count = ask_list("SELECT value, row_count, fingerprint FROM sotto.shard WHERE dataset = $1::pg_catalog.int4 ORDER "
                        "BY place",
                        psprintf("%d", dataset->id), &set->values, &rows, &fingerprints);
  fill(set, host, dataset);
  set->sizes = palloc0(sizeof(uint64_t) * set->count);
  each = palloc0(sizeof(char *) * set->count);
  for (int i = 0; i < set->count; ++i) {
    set->sizes[i] = strtoull(rows[i], NULL, 10);
    each[i] = fingerprints[i];
  }
  set->shards.sizes = set->sizes;
  set->shards.fingerprints = each;
  check_pushed(set);
}
