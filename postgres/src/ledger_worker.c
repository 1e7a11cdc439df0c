#include "extension.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "ledger_message.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/dsm.h"
#include "storage/ipc.h"
#include "storage/proc.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"

/*
 * The process that commits the records of one call. It has transactions and settings of its own: neither ROLLBACK nor a
 * session's synchronous_commit reaches it. Between records it has no transaction and waits for the session, which it
 * outlives only by the record it is committing.
 */

PGDLLEXPORT void sotto_ledger_worker_3(Datum argument);

static void set(const char *name, const char *value) {
  SetConfigOption(name, value, PGC_SUSET, PGC_S_OVERRIDE);
}

/* What the database or a role may have set differently. */
static void force_settings(void) {
  set("search_path", "pg_catalog, pg_temp");
  set("session_replication_role", "origin");
  set("default_transaction_isolation", "read committed");
  set("default_transaction_read_only", "off");
  set("lock_timeout", "1s"); /* then the session is asked whether it still waits */
  set("statement_timeout", "0");
  if (synchronous_commit < SYNCHRONOUS_COMMIT_ON) set("synchronous_commit", "on");
  if (synchronous_commit < SYNCHRONOUS_COMMIT_ON)
    ereport(ERROR, (errmsg("synchronous_commit cannot be switched on")));
  if (!enableFsync)
    ereport(ERROR, (errmsg("fsync is off, so nothing here survives a crash; a ledger needs fsync = on")));
}

static uint64 run(const LedgerMessage *message, const char *query, const MessageField *fields, int count) {
  Oid types[FIELD_COUNT];
  Datum values[FIELD_COUNT];
  char nulls[FIELD_COUNT] = {0};

  for (int i = 0; i < count; ++i) {
    const char *text = message_text(message, fields[i]);

    types[i] = TEXTOID;
    nulls[i] = text == NULL ? 'n' : ' ';
    values[i] = text == NULL ? (Datum)0 : CStringGetTextDatum(text);
  }
  if (SPI_execute_with_args(query, count, types, values, nulls, false, 0) < 0) ereport(ERROR, (errmsg("a query failed")));
  return SPI_processed;
}

#define RUN(message, query, ...)                                              \
  run(message, query, (const MessageField[]){__VA_ARGS__},                    \
      (int)(sizeof((const MessageField[]){__VA_ARGS__}) / sizeof(MessageField)))

/* The first record makes the head; one that changes the terms brings them too. */
static void write_head(const LedgerMessage *message) {
  uint64 done;

  if (strcmp(message_text(message, FIELD_KIND), "opened") == 0)
    done = RUN(message,
               "INSERT INTO sotto.ledger_head (ledger, sequence, hash, spent_loss, spent_delta, filter, relation, "
               "epsilon, delta, limit_loss, limit_delta) VALUES ($1::int4, $2::int8, $3, $4::int8, $5::int8, $6, $7, "
               "$8::float8, $9::float8, $10::int8, $11::int8)",
               FIELD_LEDGER, FIELD_SEQUENCE, FIELD_HASH, FIELD_SPENT_LOSS, FIELD_SPENT_DELTA, FIELD_FILTER,
               FIELD_RELATION, FIELD_EPSILON, FIELD_DELTA, FIELD_LIMIT_LOSS, FIELD_LIMIT_DELTA);
  else
    done = RUN(message,
               "UPDATE sotto.ledger_head SET sequence = $2::int8, hash = $3, spent_loss = $4::int8, "
               "spent_delta = $5::int8, fingerprint = CASE WHEN $7 = 'placed' THEN $8::json->>'fingerprint' ELSE "
               "fingerprint END, filter = coalesce($9, filter), relation = coalesce($10, relation), epsilon = "
               "coalesce($11::float8, epsilon), delta = coalesce($12::float8, delta), limit_loss = "
               "coalesce($13::int8, limit_loss), limit_delta = coalesce($14::int8, limit_delta) "
               "WHERE ledger = $1::int4 AND sequence = $2::int8 - 1 AND hash = $6",
               FIELD_LEDGER, FIELD_SEQUENCE, FIELD_HASH, FIELD_SPENT_LOSS, FIELD_SPENT_DELTA, FIELD_PREVIOUS,
               FIELD_KIND, FIELD_DETAIL, FIELD_FILTER, FIELD_RELATION, FIELD_EPSILON, FIELD_DELTA, FIELD_LIMIT_LOSS,
               FIELD_LIMIT_DELTA);
  if (done != 1)
    ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
                    errmsg("the record does not follow the last one of its ledger")));
}

/*
 * New terms are for rows that nobody has registered. What counts is what is committed: the caller's transaction may see
 * less, as with a snapshot of its own, or more, as after an unregister that it can still take back.
 */
static void require_unregistered(const LedgerMessage *message) {
  if (strcmp(message_text(message, FIELD_KIND), "corrected") != 0) return;
  if (RUN(message, "SELECT 1 FROM sotto.dataset WHERE ledger = $1::int4", FIELD_LEDGER) == 0) return;
  ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT),
                  errmsg("its rows are registered: commit unregister first, then register them with another budget")));
}

static void write_record(const LedgerMessage *message) {
  require_unregistered(message);
  write_head(message);
  RUN(message,
      "INSERT INTO sotto.ledger_record (ledger, sequence, kind, entry, time, cost_loss, cost_delta, spent_loss, "
      "spent_delta, request, detail, previous, hash, analyst, token, charged_to) VALUES ($1::int4, $2::int8, $3, "
      "$4::int8, $5::int8, $6::int8, $7::int8, $8::int8, $9::int8, $10, $11, $12, $13, $14, $15, $16)",
      FIELD_LEDGER, FIELD_SEQUENCE, FIELD_KIND, FIELD_ENTRY, FIELD_TIME, FIELD_COST_LOSS, FIELD_COST_DELTA,
      FIELD_SPENT_LOSS, FIELD_SPENT_DELTA, FIELD_REQUEST, FIELD_DETAIL, FIELD_PREVIOUS, FIELD_HASH, FIELD_ANALYST,
      FIELD_TOKEN, FIELD_CHARGED_TO);
  if (message_text(message, FIELD_BYTES) != NULL)
    RUN(message,
        "INSERT INTO sotto.model (ledger, entry, dataset, analyst, body, asked) VALUES ($1::int4, $2::int8, $3, $4, $5, "
        "to_timestamp($6::int8))",
        FIELD_LEDGER, FIELD_ENTRY, FIELD_DATASET, FIELD_ANALYST, FIELD_BYTES, FIELD_TIME);
}

static void commit_record(const LedgerMessage *message) {
  Oid user;
  int security;

  force_settings();
  SetCurrentStatementStartTimestamp();
  StartTransactionCommand();
  PushActiveSnapshot(GetTransactionSnapshot());
  GetUserIdAndSecContext(&user, &security);
  /* Whatever is attached to the tables runs with their owner's rights, not with those of this process. */
  SetUserIdAndSecContext(owner_role(), security | SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION |
                                           SECURITY_NOFORCE_RLS);
  SPI_connect();
  pgstat_report_activity(STATE_RUNNING, "sotto ledger");
  write_record(message);
  SPI_finish();
  SetUserIdAndSecContext(user, security);
  PopActiveSnapshot();
  CommitTransactionCommand();
}

static MessageState state_of(int sqlstate) {
  switch (sqlstate) {
    case ERRCODE_T_R_SERIALIZATION_FAILURE:
      return MESSAGE_OUTDATED;
    case ERRCODE_LOCK_NOT_AVAILABLE:
    case ERRCODE_T_R_DEADLOCK_DETECTED:
    case ERRCODE_QUERY_CANCELED: /* a cancel is the session's to take */
      return MESSAGE_AGAIN;
    default:
      return MESSAGE_REFUSED;
  }
}

/* Ends the process where nobody waits for the answer any more. */
static void send_answer(shm_mq_handle *answers, const LedgerAnswer *answer) {
  if (shm_mq_send(answers, sizeof *answer, answer, false, true) != SHM_MQ_SUCCESS) proc_exit(0);
}

static void answer_message(const LedgerMessage *message, LedgerAnswer *answer) {
  MemoryContext outside = CurrentMemoryContext;

  memset(answer, 0, sizeof *answer);
  if (ConfigReloadPending) {
    ConfigReloadPending = false;
    ProcessConfigFile(PGC_SIGHUP);
  }
  PG_TRY();
  {
    commit_record(message);
    answer->state = MESSAGE_COMMITTED;
  }
  PG_CATCH();
  {
    ErrorData *problem;

    MemoryContextSwitchTo(outside);
    problem = CopyErrorData();
    FlushErrorState();
    strlcpy(answer->reason, problem->message, sizeof answer->reason);
    answer->state = state_of(problem->sqlerrcode);
    FreeErrorData(problem);
    AbortCurrentTransaction();
  }
  PG_END_TRY();
  MemoryContextSwitchTo(outside);
  pgstat_report_activity(STATE_IDLE, NULL);
}

static void serve(shm_mq_handle *records, shm_mq_handle *answers) {
  LedgerAnswer answer = {MESSAGE_READY, ""};

  send_answer(answers, &answer);
  for (;;) {
    Size size;
    void *data;

    if (shm_mq_receive(records, &size, &data, false) != SHM_MQ_SUCCESS) return;
    answer_message(data, &answer);
    send_answer(answers, &answer);
  }
}

void sotto_ledger_worker_3(Datum argument) {
  dsm_segment *segment;
  LedgerChannel *channel;

  pqsignal(SIGTERM, die);
  pqsignal(SIGHUP, SignalHandlerForConfigReload);
  BackgroundWorkerUnblockSignals();
  CurrentResourceOwner = ResourceOwnerCreate(NULL, "sotto ledger");
  segment = dsm_attach(DatumGetUInt32(argument));
  if (segment == NULL) proc_exit(0); /* who asked is gone */
  dsm_pin_mapping(segment);
  channel = dsm_segment_address(segment);
  /* A session that loaded another version of the library before it was replaced on disk. */
  if (dsm_segment_map_length(segment) < CHANNEL_SIZE || channel->magic != CHANNEL_MAGIC)
    ereport(FATAL, (errmsg("a session with another version of the library asked for a record"),
                    errhint("Connect anew.")));
  shm_mq_set_receiver(record_queue(channel), MyProc);
  shm_mq_set_sender(answer_queue(channel), MyProc);
  BackgroundWorkerInitializeConnectionByOid(channel->database, InvalidOid, 0);
  serve(shm_mq_attach(record_queue(channel), segment, NULL), shm_mq_attach(answer_queue(channel), segment, NULL));
  proc_exit(0);
}
