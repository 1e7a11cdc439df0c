#include "committer.h"

#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "storage/dsm.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#if PG_VERSION_NUM >= 140000
#include "utils/wait_event.h"
#endif

/*
 * One process a call that writes to a ledger. It is started before anything is charged, stays while the rows are
 * trained on and commits the release: a training that was charged does not compete for a slot any more. It ends when the
 * session lets go of the shared memory, by store_close or however its memory context ends.
 */

struct Committer {
  dsm_segment *segment;
  BackgroundWorkerHandle *handle;
  shm_mq_handle *records;
  shm_mq_handle *answers;
};

#define BETWEEN_TRIES_MS 10

static void let_go(void *argument) {
  struct Committer *committer = argument;
  dsm_segment *segment = committer->segment;

  committer->segment = NULL;
  if (segment != NULL) dsm_detach(segment);
}

void store_close(LedgerStore *store) {
  if (store->committer != NULL) let_go(store->committer);
  store->committer = NULL;
}

static void describe(BackgroundWorker *worker, dsm_segment *segment) {
  memset(worker, 0, sizeof *worker);
  worker->bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
  worker->bgw_start_time = BgWorkerStart_RecoveryFinished;
  worker->bgw_restart_time = BGW_NEVER_RESTART;
  worker->bgw_notify_pid = MyProcPid;
  worker->bgw_main_arg = UInt32GetDatum(dsm_segment_handle(segment));
  snprintf(worker->bgw_name, BGW_MAXLEN, "sotto ledger");
  snprintf(worker->bgw_type, BGW_MAXLEN, "sotto ledger");
  snprintf(worker->bgw_library_name, sizeof worker->bgw_library_name, "sotto");
  snprintf(worker->bgw_function_name, BGW_MAXLEN, "sotto_ledger_worker_3");
}

static const char *what_was_charged(const LedgerStore *store) {
  return store->started ? "Nothing is released, and what was charged stays charged." : "Nothing was charged.";
}

/* Parallel queries use the same slots. Nothing is locked meanwhile, and the wait can be cancelled. */
static BackgroundWorkerHandle *find_slot(const LedgerStore *store, BackgroundWorker *worker) {
  TimestampTz end = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), worker_wait());
  BackgroundWorkerHandle *handle;

  while (!RegisterDynamicBackgroundWorker(worker, &handle)) {
    if (max_worker_processes == 0 || GetCurrentTimestamp() >= end)
      ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_RESOURCES),
                      errmsg("the ledger cannot be written: no background worker is free"),
                      errdetail("%s", what_was_charged(store)),
                      errhint("Raise max_worker_processes above max_parallel_workers, or try again later.")));
    (void)WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, BETWEEN_TRIES_MS, PG_WAIT_EXTENSION);
    ResetLatch(MyLatch);
    CHECK_FOR_INTERRUPTS();
  }
  return handle;
}

static struct Committer *new_committer(LedgerStore *store) {
  struct Committer *committer = palloc0(sizeof(struct Committer));
  MemoryContextCallback *callback = palloc0(sizeof(MemoryContextCallback));
  LedgerChannel *channel;

  callback->func = let_go;
  callback->arg = committer;
  MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
  committer->segment = dsm_create(CHANNEL_SIZE, 0);
  dsm_pin_mapping(committer->segment); /* it is the memory context's from here on */
  channel = dsm_segment_address(committer->segment);
  channel->magic = CHANNEL_MAGIC;
  channel->database = MyDatabaseId;
  shm_mq_set_sender(shm_mq_create(record_queue(channel), RECORD_QUEUE_SIZE), MyProc);
  shm_mq_set_receiver(shm_mq_create(answer_queue(channel), ANSWER_QUEUE_SIZE), MyProc);
  return committer;
}

/* Whether there was one: a process that ended has settled its transaction before it let go. */
static bool take_answer(struct Committer *committer, LedgerAnswer *answer) {
  Size size = 0;
  void *data = NULL;

  if (shm_mq_receive(committer->answers, &size, &data, false) != SHM_MQ_SUCCESS || size != sizeof(LedgerAnswer))
    return false;
  memcpy(answer, data, sizeof(LedgerAnswer));
  return true;
}

/* Someone may have ended it while the rows were trained on. */
static bool is_there(const struct Committer *committer) {
  pid_t process;

  return GetBackgroundWorkerPid(committer->handle, &process) == BGWH_STARTED;
}

void committer_start(LedgerStore *store) {
  MemoryContext before;
  struct Committer *committer;
  BackgroundWorker worker;
  LedgerChannel *channel;
  LedgerAnswer ready;

  if (store->committer != NULL && is_there(store->committer)) return;
  store_close(store);
  before = MemoryContextSwitchTo(store->host->context);
  committer = new_committer(store);
  describe(&worker, committer->segment);
  committer->handle = find_slot(store, &worker);
  channel = dsm_segment_address(committer->segment);
  committer->records = shm_mq_attach(record_queue(channel), committer->segment, committer->handle);
  committer->answers = shm_mq_attach(answer_queue(channel), committer->segment, committer->handle);
  MemoryContextSwitchTo(before);
  if (!take_answer(committer, &ready))
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_RESOURCES),
                    errmsg("the ledger cannot be written: the process that commits it did not start"),
                    errdetail("%s", what_was_charged(store))));
  store->committer = committer;
  store->started = true;
}

void committer_ask(LedgerStore *store, const LedgerMessage *message, Size size, LedgerAnswer *answer) {
  struct Committer *committer = store->committer;

  if (committer == NULL) elog(ERROR, "the process that commits records is gone");
  if (shm_mq_send(committer->records, size, message, false, true) == SHM_MQ_SUCCESS && take_answer(committer, answer))
    return;
  /* It was ended: whether it had committed, the records tell. */
  store_close(store);
  answer->state = MESSAGE_OUTDATED;
}
