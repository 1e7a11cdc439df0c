/*
 * A record on its way to the process that commits it: texts in shared memory.
 */
#ifndef SOTTO_LEDGER_MESSAGE_H
#define SOTTO_LEDGER_MESSAGE_H

#include "postgres.h"

typedef enum MessageState { MESSAGE_SENT, MESSAGE_COMMITTED, MESSAGE_REFUSED } MessageState;

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
  Oid database;
  int state; /* MessageState, written by the committing process */
  char reason[256];
  Size offset[FIELD_COUNT]; /* of a text that ends in a zero byte, or MESSAGE_ABSENT */
  char texts[FLEXIBLE_ARRAY_MEMBER];
} LedgerMessage;

static inline const char *message_text(const LedgerMessage *message, MessageField field) {
  return message->offset[field] == MESSAGE_ABSENT ? NULL : message->texts + message->offset[field];
}

#endif
