/*
 * The process that commits the records of a session's ledger, seen from the session.
 */
#ifndef SOTTO_COMMITTER_H
#define SOTTO_COMMITTER_H

#include "extension.h"
#include "ledger_message.h"

/* Starts it, unless it is there: waits for a slot, but not for ever. */
extern void committer_start(LedgerStore *store);
/* Has a record committed and waits for the answer. */
extern void committer_ask(LedgerStore *store, const LedgerMessage *message, Size size, LedgerAnswer *answer);

#endif
