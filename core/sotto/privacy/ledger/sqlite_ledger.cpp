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
  if (hex_of(sha256(hex_of(store_.key()))) == chain.terms().key_check) return check_public_key();
  throw Error(ErrorKind::invalid_data, path_ + ": the ledger is damaged or was edited: its key is another", "ledger");
}

bool SqliteLedger::is_about(const Digest& fingerprint) const {
  return hex_of(hmac_sha256(store_.key(), hex_of(fingerprint))) == terms().data_tag;
}

void SqliteLedger::open() {
  if (inode_of(path_) != place().inode) {
    throw Error(ErrorKind::invalid_data, path_ + ": this is a copy of a ledger, and only one copy may spend", "ledger",
                {HintKind::move_ledger});
  }
  Anchor anchor(place().anchor, terms().id);
  refresh();  // another process may have written before the lock was ours
  check_point(chain_, anchor.last());
  // The new anchor is told of a move last. If it was not, the former ones may not know either, and a copy left there
  // could spend as well.
  if (anchor.last().sequence < chain_.placed_sequence()) {
    throw Error(ErrorKind::invalid_data, path_ + ": a move of this ledger did not finish", "ledger",
                {HintKind::finish_move});
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
  const LedgerEntry* entry = chain_.find_released(request);
  return entry != nullptr ? std::optional(bytes_of(*entry)) : std::nullopt;
}

std::string SqliteLedger::bytes_of(const LedgerEntry& entry) {
  usable();
  std::string bytes = store_.bytes_of(entry.number);
  check_bytes(entry, bytes);
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
    LedgerRecord record = commit(make(), bytes);
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
  const LedgerRecord written = write([&] { return chain_.reservation(spending, token); }, nullptr);
  return {written.entry, written.cost, written.spent};
}

void SqliteLedger::do_release(const Ending& end, const std::string& bytes) {
  write([&] { return chain_.release(end.entry, end.nonce, bytes); }, &bytes);
}

void SqliteLedger::do_cancel(const Ending& end) {
  write([&] { return chain_.cancellation(end.entry, end.nonce); }, nullptr);
}

LedgerCheck SqliteLedger::verify() {
  usable();
  const Anchor anchor(place().anchor, terms().id);
  SqliteTransaction snapshot(store_.connection());
  store_.check_integrity();
  Chain chain;
  store_.catch_up(chain);
  check_key(chain);
  const LedgerCheck check = check_all(chain, anchor, [&](const LedgerEntry& entry) { bytes_of(entry); });
  if (check.models != store_.count_bytes()) {
    throw Error(ErrorKind::invalid_data, path_ + ": a model is stored that was never released", "ledger");
  }
  return check;
}

}  // namespace sotto
