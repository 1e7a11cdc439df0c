#include "extension.h"

#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "committer.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/*
 * The ledger's store in the database. Records are read with a snapshot of now, whatever the caller's isolation level;
 * they are written by a process of their own (ledger_worker.c, started by committer.c), whose transactions the caller
 * can neither undo nor configure.
 */

void store_init(LedgerStore *store, Host *host, int32 ledger, const char *dataset) {
  store->committer = NULL;
  store->started = false;
  store->host = host;
  store->dataset = dataset;
  /* Who logged in: neither SET ROLE nor a function of another's changes it, so that a share is one person's. */
  store->analyst = GetUserNameFromId(GetSessionUserId(), false);
  require_utf8(store->analyst, "the name of the user");
  store_use(store, ledger);
}

void store_use(LedgerStore *store, int32 ledger) {
  store->ledger = ledger;
  snprintf(store->place, sizeof store->place, "postgres:" UINT64_FORMAT "/%u/%d", GetSystemIdentifier(), MyDatabaseId,
           ledger);
}

/* Runs a query as the owner, on the newest committed state, in a memory context of its own. */
typedef struct Reading {
  LedgerStore *store;
  uint64 number;
  void (*take_record)(void *, const sotto_record *);
  void (*take_bytes)(void *, const char *, size_t);
  void *taker;
  void (*take_head)(void *, const sotto_head *);
} Reading;

static void run_query(const char *query, int32 ledger, uint64 number) {
  Oid types[2] = {INT4OID, INT8OID};
  Datum values[2] = {Int32GetDatum(ledger), Int64GetDatum((int64)number)};

  if (SPI_execute_with_args(query, 2, types, values, NULL, true, 0) != SPI_OK_SELECT)
    elog(ERROR, "the ledger cannot be read");
}

static char *field(uint64 row, int column) {
  char *value = SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column);

  return value == NULL ? pstrdup("") : value;
}

/* The very number: its text depends on the session. */
static double number_at(int column) {
  bool missing;

  return DatumGetFloat8(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, &missing));
}

static uint64 amount(uint64 row, int column) { return strtoull(field(row, column), NULL, 10); }

static void hand_over_records(const Reading *reading) {
  run_query("SELECT sequence, kind, entry, time, cost_loss, cost_delta, spent_loss, spent_delta, request, detail, "
            "previous, hash, token, charged_to FROM sotto.ledger_record WHERE ledger = $1 AND sequence >= $2 ORDER BY sequence",
            reading->store->ledger, reading->number);
  for (uint64 i = 0; i < SPI_processed; ++i) {
    sotto_record record = {amount(i, 1),
                           field(i, 2),
                           amount(i, 3),
                           strtoll(field(i, 4), NULL, 10),
                           amount(i, 5),
                           amount(i, 6),
                           amount(i, 7),
                           amount(i, 8),
                           field(i, 9),
                           field(i, 10),
                           field(i, 11),
                           field(i, 12),
                           field(i, 13),
                           field(i, 14)};

    reading->take_record(reading->taker, &record);
  }
}

static void hand_over_bytes(const Reading *reading) {
  char *text;

  run_query("SELECT body FROM sotto.model WHERE ledger = $1 AND entry = $2", reading->store->ledger, reading->number);
  if (SPI_processed != 1)
    ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("what an entry of the ledger released is missing")));
  text = field(0, 1);
  reading->take_bytes(reading->taker, text, strlen(text));
}

static void hand_over_head(const Reading *reading) {
  sotto_head head;

  run_query("SELECT sequence, hash, spent_loss, spent_delta, filter, relation, epsilon, delta, limit_loss, limit_delta, "
            "fingerprint FROM sotto.ledger_head WHERE ledger = $1 AND $2 = 0",
            reading->store->ledger, 0);
  if (SPI_processed != 1)
    ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("the totals of the ledger are missing")));
  head.sequence = amount(0, 1);
  head.hash = field(0, 2);
  head.spent_loss = amount(0, 3);
  head.spent_delta = amount(0, 4);
  head.terms = (sotto_terms){field(0, 5),  field(0, 6), number_at(7), number_at(8), amount(0, 9), amount(0, 10)};
  head.fingerprint = field(0, 11);
  reading->take_head(reading->taker, &head);
}

static void read_now(void *context) {
  const Reading *reading = context;
  Owner before;

  owner_begin(&before);
  set_for_now("lock_timeout", "0"); /* as when it writes */
  PushActiveSnapshot(GetLatestSnapshot());
  SPI_connect();
  if (reading->take_record != NULL)
    hand_over_records(reading);
  else if (reading->take_head != NULL)
    hand_over_head(reading);
  else
    hand_over_bytes(reading);
  SPI_finish();
  PopActiveSnapshot();
  owner_end(&before);
}

static int read_records(void *context, uint64_t first, void (*take)(void *, const sotto_record *), void *taker) {
  LedgerStore *store = context;
  Reading reading = {store, first, take, NULL, taker};

  return host_protect_silently(store->host, read_now, &reading);
}

static int read_bytes(void *context, uint64_t entry, void (*take)(void *, const char *, size_t), void *taker) {
  LedgerStore *store = context;
  Reading reading = {store, entry, NULL, take, taker};

  return host_protect_silently(store->host, read_now, &reading);
}

static int read_head(void *context, void (*take)(void *, const sotto_head *), void *taker) {
  LedgerStore *store = context;
  Reading reading = {store, 0, NULL, NULL, taker, take};

  return host_protect_silently(store->host, read_now, &reading);
}

typedef struct Writing {
  LedgerStore *store;
  const sotto_record *record;
  const sotto_terms *terms;
  const char *bytes;
  size_t size;
  bool outdated; /* another record came first */
} Writing;

static void set_texts(const Writing *writing, const char *texts[FIELD_COUNT]) {
  const sotto_record *record = writing->record;
  const sotto_terms *terms = writing->terms;

  for (int i = 0; i < FIELD_COUNT; ++i) texts[i] = NULL;
  texts[FIELD_LEDGER] = psprintf("%d", writing->store->ledger);
  texts[FIELD_SEQUENCE] = psprintf(UINT64_FORMAT, record->sequence);
  texts[FIELD_KIND] = record->kind;
  texts[FIELD_ENTRY] = psprintf(UINT64_FORMAT, record->entry);
  texts[FIELD_TIME] = psprintf(INT64_FORMAT, record->time);
  texts[FIELD_COST_LOSS] = psprintf(UINT64_FORMAT, record->cost_loss);
  texts[FIELD_COST_DELTA] = psprintf(UINT64_FORMAT, record->cost_delta);
  texts[FIELD_SPENT_LOSS] = psprintf(UINT64_FORMAT, record->spent_loss);
  texts[FIELD_SPENT_DELTA] = psprintf(UINT64_FORMAT, record->spent_delta);
  texts[FIELD_REQUEST] = record->request;
  texts[FIELD_DETAIL] = record->detail;
  texts[FIELD_PREVIOUS] = record->previous;
  texts[FIELD_HASH] = record->hash;
  texts[FIELD_TOKEN] = record->token;
  texts[FIELD_ANALYST] = GetUserNameFromId(GetSessionUserId(), true);
  texts[FIELD_CHARGED_TO] = record->analyst != NULL && record->analyst[0] != '\0' ? record->analyst : NULL;
  texts[FIELD_DATASET] = writing->store->dataset;
  texts[FIELD_BYTES] = writing->bytes;
  if (terms == NULL) return;
  texts[FIELD_FILTER] = terms->filter;
  texts[FIELD_RELATION] = terms->relation;
  texts[FIELD_EPSILON] = psprintf("%.17g", terms->epsilon);
  texts[FIELD_DELTA] = psprintf("%.17g", terms->delta);
  texts[FIELD_LIMIT_LOSS] = psprintf(UINT64_FORMAT, terms->limit_loss);
  texts[FIELD_LIMIT_DELTA] = psprintf(UINT64_FORMAT, terms->limit_delta);
}

void require_primary(void) {
  if (RecoveryInProgress())
    ereport(ERROR, (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
                    errmsg("a standby cannot spend a budget, nor say what is left of it"),
                    errhint("Ask the primary server.")));
}

/* Code in a view, a policy or an index runs in the middle of somebody else's query, and must spend nothing of theirs. */
static void require_own_call(void) {
  if (!InSecurityRestrictedOperation()) return;
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                  errmsg("a ledger cannot be written in a security-restricted operation"),
                  errdetail("Functions of views, policies and indexes cannot train, register or grant.")));
}

/* Who logged in is charged: not a stranger who called a SECURITY DEFINER function of a member's. */
static void require_member(void) {
  const char *roles[] = {"sotto_analyst", "sotto_curator"};

  for (int i = 0; i < (int)lengthof(roles); ++i) {
    Oid role = get_role_oid(roles[i], true);

    if (OidIsValid(role) && has_privs_of_role(GetSessionUserId(), role)) return;
  }
  if (superuser_arg(GetSessionUserId())) return;
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                  errmsg("permission denied: user \"%s\" is no member of sotto_analyst or sotto_curator",
                         GetUserNameFromId(GetSessionUserId(), false)),
                  errdetail("Whoever logged in is charged. Nothing was charged.")));
}

static LedgerMessage *message_of(const Writing *writing, Size *size) {
  const char *texts[FIELD_COUNT];
  LedgerMessage *message;
  Size at = 0;

  set_texts(writing, texts);
  for (int i = 0; i < FIELD_COUNT; ++i) at += texts[i] == NULL ? 0 : strlen(texts[i]) + 1;
  *size = offsetof(LedgerMessage, texts) + at;
  message = MemoryContextAllocHuge(CurrentMemoryContext, *size);
  at = 0;
  for (int i = 0; i < FIELD_COUNT; ++i) {
    message->offset[i] = texts[i] == NULL ? MESSAGE_ABSENT : at;
    if (texts[i] == NULL) continue;
    strcpy(message->texts + at, texts[i]);
    at += strlen(texts[i]) + 1;
  }
  return message;
}

static void write_now(void *context) {
  Writing *writing = context;
  Size size;
  LedgerMessage *message;
  LedgerAnswer answer;

  require_primary();
  require_own_call();
  message = message_of(writing, &size);
  /* However long somebody locks the tables: what was charged is not lost for it. The wait can be cancelled. */
  do {
    CHECK_FOR_INTERRUPTS();
    committer_ask(writing->store, message, size, &answer);
  } while (answer.state == MESSAGE_AGAIN);
  pfree(message);
  writing->outdated = answer.state == MESSAGE_OUTDATED;
  if (answer.state == MESSAGE_COMMITTED || writing->outdated) return;
  ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("the ledger was not written"),
                  errdetail("%s", answer.reason)));
}

static int append(void *context, const sotto_record *record, const sotto_terms *terms, const char *bytes,
                  size_t size) {
  LedgerStore *store = context;
  Writing writing = {store, record, terms, bytes, size, false};

  if (host_protect_silently(store->host, write_now, &writing) != 0) return 1;
  return writing.outdated ? SOTTO_APPEND_OUTDATED : 0;
}

static void prepare_now(void *context) {
  require_primary();
  require_own_call();
  require_member();
  committer_start(context);
}

void store_prepare(LedgerStore *store) { prepare_now(store); }

static int prepare(void *context) { return host_protect_silently(((LedgerStore *)context)->host, prepare_now, context); }

static void check_interrupts(void *unused) { CHECK_FOR_INTERRUPTS(); }

static int poll_host(void *context) {
  Host *host = ((LedgerStore *)context)->host;

  if (host->kept != NULL) return 1;
  return InterruptPending ? host_protect_silently(host, check_interrupts, NULL) : 0;
}

sotto_store store_callbacks(LedgerStore *store) {
  sotto_store callbacks = {store,     store->place, read_records, append,         read_bytes,
                           poll_host, prepare,      read_head,    store->analyst, NULL};

  return callbacks;
}
