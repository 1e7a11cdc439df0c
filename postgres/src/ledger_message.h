/*
 * What a session and the process that commits its records share: two queues in a segment of shared memory. A record is
 * one message of texts, its answer another.
 */
#ifndef SOTTO_LEDGER_MESSAGE_H
#define SOTTO_LEDGER_MESSAGE_H

#include "postgres.h"

#include "storage/shm_mq.h"

typedef enum MessageState {
  MESSAGE_READY, /* the process has started: nothing was asked yet */
  MESSAGE_COMMITTED,
  MESSAGE_OUTDATED, /* another record came first */
  MESSAGE_AGAIN,    /* nothing was written, and the next try may do: somebody else holds a lock */
  MESSAGE_REFUSED
} MessageState;

typedef enum MessageField {
  FIELD_LEDGER,
  FIELD_SEQUENCE,
  FIELD_KIND,
  FIELD_ENTRY,
  FIELD_TIME,
  FIELD_COST_LOSS,
  FIELD_COST_DELTA,
  FIELD_SPENT_LOSS,
  FIELD_SPENT_DELTA,
  FIELD_REQUEST,
  FIELD_DETAIL,
  FIELD_PREVIOUS,
  FIELD_HASH,
  FIELD_TOKEN,
  FIELD_ANALYST,
  FIELD_CHARGED_TO,
  FIELD_DATASET,
  FIELD_BYTES,  /* with a release */
  FIELD_FILTER, /* from here on: with the first record */
  FIELD_RELATION,
  FIELD_EPSILON,
  FIELD_DELTA,
  FIELD_LIMIT_LOSS,
  FIELD_LIMIT_DELTA,
  FIELD_COUNT
} MessageField;

#define MESSAGE_ABSENT ((Size)-1)

typedef struct LedgerMessage {
  Size offset[FIELD_COUNT]; /* of a text that ends in a zero byte, or MESSAGE_ABSENT */
  char texts[FLEXIBLE_ARRAY_MEMBER];
} LedgerMessage;

typedef struct LedgerAnswer {
  int state; /* MessageState */
  char reason[256];
} LedgerAnswer;

/* The segment: this, then the queue of records, then that of answers. */
typedef struct LedgerChannel {
  uint32 magic;
  Oid database;
} LedgerChannel;

/* The library may be replaced on disk while sessions live: a new process must not read the messages of an old one. Count
 * up the number in the name of sotto_ledger_worker_3 and here when the channel or its messages change. */
#define CHANNEL_MAGIC ((uint32)0x50770300 + (uint32)FIELD_COUNT)
#define RECORD_QUEUE_SIZE ((Size)65536)
#define ANSWER_QUEUE_SIZE ((Size)4096)
#define CHANNEL_SIZE (MAXALIGN(sizeof(LedgerChannel)) + RECORD_QUEUE_SIZE + ANSWER_QUEUE_SIZE)

static inline void *record_queue(LedgerChannel *channel) { return (char *)channel + MAXALIGN(sizeof(LedgerChannel)); }

static inline void *answer_queue(LedgerChannel *channel) { return (char *)record_queue(channel) + RECORD_QUEUE_SIZE; }

static inline const char *message_text(const LedgerMessage *message, MessageField field) {
  return message->offset[field] == MESSAGE_ABSENT ? NULL : message->texts + message->offset[field];
}

#endif
