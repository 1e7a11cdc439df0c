#include "extension.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

PG_MODULE_MAGIC;

void _PG_init(void);

static char *anchor_directory = NULL;
static int rows_in_memory_kb = 0;
static int most_threads = 1;
static int worker_wait_ms = 0;

void _PG_init(void) {
  sotto_initialise();
  DefineCustomStringVariable("sotto.anchor_directory",
                             "Where the anchors of ledgers are kept: a directory outside the data directory.",
                             "Read when a table is registered or a ledger moved; later the ledger remembers it.",
                             &anchor_directory, "", PGC_SIGHUP, GUC_SUPERUSER_ONLY, NULL, NULL, NULL);
  DefineCustomIntVariable("sotto.rows_in_memory", "How much memory a training may take for the rows of a packed copy.",
                          "The rows of a larger one are copied to a temporary file.", &rows_in_memory_kb, 256 * 1024, 0,
                          MAX_KILOBYTES, PGC_SIGHUP, GUC_UNIT_KB, NULL, NULL, NULL);
  DefineCustomIntVariable("sotto.threads", "How many threads of its process a training may use for sums over rows.",
                          "Results have the same bits for any number.", &most_threads, 2, 1, 256, PGC_SIGHUP, 0, NULL,
                          NULL, NULL);
  DefineCustomIntVariable("sotto.worker_wait", "How long a call waits for a background worker that commits records.",
                          "It waits before anything is charged, and holds no lock meanwhile.", &worker_wait_ms,
                          60 * 1000, 0, 24 * 3600 * 1000, PGC_USERSET, GUC_UNIT_MS, NULL, NULL, NULL);
#if PG_VERSION_NUM >= 150000
  MarkGUCPrefixReserved("sotto");
#else
  EmitWarningsOnPlaceholders("sotto");
#endif
}

int worker_wait(void) { return worker_wait_ms; }

Size rows_in_memory(void) { return (Size)rows_in_memory_kb * 1024; }

static void leave(int code, Datum unused) { sotto_leave(); }

void use_threads(void) {
  static bool prepared = false;

  /* A process may end inside a callback, and its rows are freed then: no thread may be reading them. */
  if (!prepared) before_shmem_exit(leave, (Datum)0);
  prepared = true;
  sotto_use_threads((unsigned)most_threads);
}

void host_init(Host *host) {
  host->context = CurrentMemoryContext;
  host->kept = NULL;
  host->instead = NULL;
}

int host_protect(Host *host, void (*body)(void *), void *argument) {
  MemoryContext before = CurrentMemoryContext;
  volatile int answer = 0;

  if (host->kept != NULL) return 1;
  PG_TRY();
  { body(argument); }
  PG_CATCH();
  {
    MemoryContextSwitchTo(host->context);
    host->kept = CopyErrorData();
    FlushErrorState();
    answer = 1;
  }
  PG_END_TRY();
  MemoryContextSwitchTo(before);
  return answer;
}

/* A client that stops reading would stop this process at the first message that does not fit. An error is told later,
 * what ends the process not at all. */
int host_protect_silently(Host *host, void (*body)(void *), void *argument) {
  CommandDest before = whereToSendOutput;
  int answer;

  whereToSendOutput = DestNone;
  answer = host_protect(host, body, argument);
  whereToSendOutput = before;
  if (host->kept != NULL) host->kept->output_to_client = before == DestRemote;
  return answer;
}

static void check_interrupts(void *unused) { CHECK_FOR_INTERRUPTS(); }

int host_poll(void *context) {
  Host *host = context;

  if (host->kept != NULL) return 1;
  return InterruptPending ? host_protect(host, check_interrupts, NULL) : 0;
}

static int sqlstate_of(sotto_status status) {
  switch (status) {
    case SOTTO_INVALID_ARGUMENT:
      return ERRCODE_INVALID_PARAMETER_VALUE;
    case SOTTO_BUDGET_EXCEEDED:
      return ERRCODE_CONFIGURATION_LIMIT_EXCEEDED;
    case SOTTO_UNSUPPORTED:
      return ERRCODE_FEATURE_NOT_SUPPORTED;
    case SOTTO_INVALID_DATA:
      return ERRCODE_DATA_CORRUPTED;
    case SOTTO_IO:
      return ERRCODE_IO_ERROR;
    default:
      return ERRCODE_INTERNAL_ERROR;
  }
}

void host_check(const Host *host, sotto_status status, const sotto_error *error) {
  const char *message = error->message;

  /* A kept error is raised even by a call that says it succeeded: the transaction is not fit to go on. */
  if (host != NULL && host->kept != NULL) {
    if (host->instead == NULL) ReThrowError(host->kept);
    message = host->instead;
    status = SOTTO_INVALID_DATA;
  }
  if (status == SOTTO_OK) return;
  if (message == error->message && error->log[0] != '\0')
    ereport(LOG_SERVER_ONLY, (errmsg("%s", error->log), errhidestmt(true), errhidecontext(true)));
  ereport(ERROR, (errcode(sqlstate_of(status)), errmsg("%s", message),
                  message == error->message && error->hint[0] != '\0' ? errhint("%s", error->hint) : 0));
}

Oid owner_role(void) { return get_role_oid("sotto_owner", false); }

void set_for_now(const char *name, const char *value) {
  (void)set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

void owner_begin(Owner *before) {
  GetUserIdAndSecContext(&before->user, &before->security);
  before->read_only = XactReadOnly;
  SetUserIdAndSecContext(owner_role(), before->security | SECURITY_LOCAL_USERID_CHANGE | SECURITY_NOFORCE_RLS);
  before->guc_level = NewGUCNestLevel();
#ifndef SOTTO_MUTANT_SEARCH_PATH /* only a test leaves it out */
  set_for_now("search_path", "pg_catalog, pg_temp");
#endif
  /* No number the owner keeps may be rounded on its way through a text. */
  set_for_now("extra_float_digits", "1");
  /* A backslash in a text of ours is one. */
  set_for_now("standard_conforming_strings", "on");
}

void owner_end(const Owner *before) {
  AtEOXact_GUC(false, before->guc_level);
  XactReadOnly = before->read_only;
  SetUserIdAndSecContext(before->user, before->security);
}

void require_utf8(const char *text, const char *what) {
  if (pg_verify_mbstr(PG_UTF8, text, (int)strlen(text), true)) return;
  ereport(ERROR, (errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE), errmsg("%s must be text in UTF-8", what)));
}

char *text_take(sotto_text *text) {
  char *copy = MemoryContextAllocExtended(CurrentMemoryContext, text->size + 1, MCXT_ALLOC_NO_OOM | MCXT_ALLOC_HUGE);

  if (copy != NULL) memcpy(copy, text->data, text->size + 1);
  sotto_text_free(text);
  if (copy == NULL) ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
  return copy;
}

char *anchor_place(void) {
  char *directory;

  if (anchor_directory == NULL || anchor_directory[0] == '\0')
    ereport(ERROR, (errcode(ERRCODE_CONFIG_FILE_ERROR), errmsg("sotto.anchor_directory is not set"),
                    errhint("As a superuser: LOAD 'sotto'; ALTER SYSTEM SET sotto.anchor_directory = '/var/lib/sotto'; "
                            "SELECT pg_reload_conf(); with a directory that the server can write, outside the data "
                            "directory and its backups.")));
  directory = pstrdup(anchor_directory);
  canonicalize_path(directory);
  if (!is_absolute_path(directory) || path_is_prefix_of_path(DataDir, directory))
    ereport(ERROR, (errcode(ERRCODE_CONFIG_FILE_ERROR),
                    errmsg("sotto.anchor_directory must be an absolute path outside the data directory"),
                    errdetail("An anchor that is restored together with the database could not tell a restored "
                              "ledger.")));
  return directory;
}

/* One anchor for the rows, whatever they are called: registering them again finds it. */
char *anchor_path(const char *fingerprint) { return psprintf("%s/%s.anchor", anchor_place(), fingerprint); }

static char *text_at(int column) {
  return SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column);
}

/* Not through a text, whose digits a setting of the session decides. */
static double number_at(int column) {
  bool missing = true;
  Datum value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, &missing);

  if (missing) elog(ERROR, "a number of the data set is missing");
  return DatumGetFloat8(value);
}

Registered *registered_load(const char *name) {
  Registered *dataset = palloc0(sizeof(Registered));
  MemoryContext caller = CurrentMemoryContext;
  MemoryContext inside;
  Owner before;
  Oid types[1] = {TEXTOID};
  Datum values[1] = {CStringGetTextDatum(name)};

  owner_begin(&before);
  SPI_connect();
  if (SPI_execute_with_args("SELECT id, generation, ledger, name, encoding, label, features, fingerprint, source::oid, "
                            "row_count, feature_count, class_count, data_norm, block_rows, layout, curator FROM sotto.dataset "
                            "WHERE name = $1",
                            1, types, values, NULL, true, 1) != SPI_OK_SELECT ||
      SPI_processed != 1)
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("there is no data set \"%s\"", name)));
  inside = MemoryContextSwitchTo(caller);
  dataset->id = pg_strtoint32(text_at(1));
  dataset->generation = pg_strtoint32(text_at(2));
  dataset->ledger = pg_strtoint32(text_at(3));
  dataset->name = pstrdup(text_at(4));
  dataset->schema = pstrdup(text_at(5));
  dataset->label = pstrdup(text_at(6));
  dataset->features = pstrdup(text_at(7));
  dataset->fingerprint = pstrdup(text_at(8));
  dataset->source = (Oid)strtoul(text_at(9), NULL, 10);
  dataset->facts.rows = strtoull(text_at(10), NULL, 10);
  dataset->facts.features = (uint32)strtoul(text_at(11), NULL, 10);
  dataset->facts.classes = (uint32)strtoul(text_at(12), NULL, 10);
  dataset->facts.data_norm = number_at(13);
  dataset->block_rows = (uint32)strtoul(text_at(14), NULL, 10);
  dataset->layout = layout_by_name(text_at(15));
  dataset->curator = text_at(16) == NULL ? NULL : pstrdup(text_at(16));
  MemoryContextSwitchTo(inside);
  SPI_finish();
  owner_end(&before);
  return dataset;
}

static const char *const layout_names[] = {
    [LAYOUT_PACKED] = "packed", [LAYOUT_UNPACKED] = "unpacked", [LAYOUT_SHARDED] = "sharded"};

Layout layout_by_name(const char *name) {
  for (int layout = 0; layout < (int)lengthof(layout_names); ++layout) {
    if (strcmp(name, layout_names[layout]) == 0) return (Layout)layout;
  }
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("layout must be packed, unpacked or sharded")));
}

const char *layout_name(Layout layout) { return layout_names[layout]; }

char *block_table_name(int32 id, int32 generation) { return psprintf("block_%d_%d", id, generation); }

Oid block_table(const Registered *dataset) {
  Oid schema;
  Oid table;

  if (dataset->layout != LAYOUT_PACKED)
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("data set \"%s\" has no packed copy", dataset->name),
                    errhint("A curator trains on it with sotto.train_table.")));
  schema = get_namespace_oid("sotto_data", false);
  table = get_relname_relid(block_table_name(dataset->id, dataset->generation), schema);

  if (!OidIsValid(table))
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("the packed copy of data set \"%s\" is missing",
                                                             dataset->name)));
  return table;
}
