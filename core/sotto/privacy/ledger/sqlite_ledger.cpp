#include "sotto/privacy/ledger/sqlite_ledger.h"

#include "sotto/base/error.h"
#include "sotto/privacy/ledger/files.h"

namespace sotto {
SqliteLedger::SqliteLedger(const std::string& path, Clock clock)
    : SqliteLedger(path, std::move(clock), Trust::placed) {}

SqliteLedger::SqliteLedger(const std::string& path, Clock clock, Trust trust)
    : path_(absolute_path(path)),
      clock_(clock ? std::move(clock) : Clock(seconds_now)),
      store_((inode_of(path_), path_), SqliteConnection::Mode::open) {
  refresh();
  check_key(chain_);
  if (trust == Trust::placed) open();
}

void SqliteLedger::check_key(const Chain& chain) {
  if (hex_of(sha256(hex_of(store_.key()))) == chain.terms().key_check) return;
  throw Error(ErrorKind::invalid_data, path_ + ": the ledger is damaged or was edited: its key is another", "ledger");
}

bool SqliteLedger::is_about(const Digest& fingerprint) const {
  return hex_of(hmac_sha256(store_.key(), hex_of(fingerprint))) == terms().data_tag;
}

void SqliteLedger::open() {
  if (inode_of(path_) != place().inode) {
    throw Error(ErrorKind::invalid_data,
                path_ +
                    ": this is a copy of a ledger, and only one copy may spend; if it is the one that counts from "
                    "now on, say so with 'sotto ledger move'",
                "ledger");
  }
  Anchor anchor(place().anchor, terms().id);
  refresh();  // another process may have written before the lock was ours
  check_point(chain_, anchor.last());
  // The new anchor is told of a move last. If it was not, the former ones may not know either, and a copy left there
  // could spend as well.
  if (anchor.last().sequence < chain_.placed_sequence()) {
    throw Error(ErrorKind::invalid_data,
                path_ + ": a move of this ledger did not finish; run 'sotto ledger move' again", "ledger");
  }
  if (anchor.last().sequence < chain_.sequence()) anchor.append({chain_.sequence(), chain_.hash()});
}

void SqliteLedger::usable() const {
  store_.connection().check_process();
  if (failed_) {
    throw Error(ErrorKind::io, path_ + ": an earlier write to the ledger failed; nothing more is done with it",
                "ledger");
  }
}

void SqliteLedger::refresh() {
  usable();
  // One snapshot for records and totals.
  store_.connection().run("BEGIN");
  try {
    store_.catch_up(chain_);
  } catch (...) {
    store_.connection().run("ROLLBACK");
    throw;
  }
  store_.connection().run("COMMIT");
}

Filter SqliteLedger::filter() {
  refresh();
  return chain_.filter();
}

std::vector<LedgerEntry> SqliteLedger::entries() {
  refresh();
  return chain_.entries();
}

std::vector<LedgerRecord> SqliteLedger::records() {
  usable();
  return store_.records(0);
}

std::optional<std::string> SqliteLedger::stored(const std::string& request) {
  refresh();
  for (const LedgerEntry& entry : chain_.entries()) {
    if (entry.state != EntryState::released || entry.request != request) continue;
    return bytes_of(entry);
  }
  return std::nullopt;
}

std::string SqliteLedger::bytes_of(const LedgerEntry& entry) {
  usable();
  std::string bytes = store_.bytes_of(entry.number);
  if (hex_of(sha256(bytes)) != entry.released) {
    throw Error(ErrorKind::invalid_data, path_ + ": a stored model is not the one that was released", "ledger");
  }
  return bytes;
}

LedgerRecord SqliteLedger::commit(LedgerRecord record, const std::string* bytes) {
  if (record.time == 0) record.time = clock_();
  record = chain_.next(std::move(record));
  store_.append(record, bytes);
  return record;
}

LedgerRecord SqliteLedger::write(const std::function<LedgerRecord()>& make, const std::string* bytes) {
  usable();
  try {
    const std::uint64_t placed = chain_.placed_sequence();
    Anchor anchor(place().anchor, terms().id);  // also the lock that keeps the anchor in the order of the records
    SqliteTransaction transaction(store_.connection());
    store_.catch_up(chain_);
    if (chain_.placed_sequence() != placed || inode_of(path_) != place().inode) {
      throw Error(ErrorKind::invalid_data, path_ + ": the ledger was moved while it was open; open it again", "ledger");
    }
    check_point(chain_, anchor.last());
    const LedgerRecord record = commit(make(), bytes);
    transaction.commit();
    chain_.add(record);
    anchor.append({record.sequence, record.hash});
    return record;
  } catch (const Error& error) {
    failed_ = failed_ || error.kind() == ErrorKind::io || error.kind() == ErrorKind::invalid_data;
    throw;
  }
}

Ledger::Reserved SqliteLedger::do_reserve(const Spending& spending, const std::string& token) {
  const LedgerRecord written = write(
      [&] {
        LedgerRecord record;
        record.kind = RecordKind::reserved;
        record.cost = chain_.filter().cost_of(spending.event, spending.distance);
        record.request = spending.request;
        record.detail = event_text(spending.event);
        record.token = token;
        if (!chain_.filter().fits(record.cost)) refuse_spending(chain_.filter(), record.cost);
        return record;
      },
      nullptr);
  return {written.entry, written.cost, written.spent};
}

LedgerRecord SqliteLedger::ending(RecordKind kind, const Ending& ending) const {
  const LedgerEntry* entry = chain_.find(ending.entry);
  if (entry == nullptr || entry->state != EntryState::reserved || entry->token != hex_of(sha256(ending.nonce))) {
    throw Error(ErrorKind::internal, "the ledger has no such reservation");
  }
  LedgerRecord record;
  record.kind = kind;
  record.entry = ending.entry;
  record.cost = entry->cost;
  record.token = ending.nonce;
  record.time = entry->time;  // how long a run took may depend on the rows, or be its secret number of trials
  return record;
}

void SqliteLedger::do_release(const Ending& end, const std::string& bytes) {
  write(
      [&] {
        LedgerRecord record = ending(RecordKind::released, end);
        record.detail = hex_of(sha256(bytes));
        return record;
      },
      &bytes);
}

void SqliteLedger::do_cancel(const Ending& end) {
  write([&] { return ending(RecordKind::voided, end); }, nullptr);
}

LedgerCheck SqliteLedger::verify() {
  usable();
  const Anchor anchor(place().anchor, terms().id);
  SqliteTransaction snapshot(store_.connection());
  store_.check_integrity();
  Chain chain;
  store_.catch_up(chain);
  check_key(chain);
  LedgerCheck check;
  for (const LedgerEntry& entry : chain.entries()) {
    if (entry.state != EntryState::released) continue;
    bytes_of(entry);
    ++check.models;
  }
  if (check.models != store_.count_bytes()) {
    throw Error(ErrorKind::invalid_data, path_ + ": a model is stored that was never released", "ledger");
  }
  for (const AnchorPoint& point : anchor.points()) check_point(chain, point);
  check.records = chain.sequence() + 1;
  check.anchored = anchor.last().sequence;
  return check;
}

}  // namespace sotto
