#include "sotto/privacy/ledger/sqlite_ledger.h"

#include <algorithm>
#include <memory>

#include "sotto/base/error.h"
#include "sotto/privacy/ledger/files.h"

namespace sotto {
namespace {

std::int64_t system_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string random_id() {
  BitSource bits;
  Sha256 hash;
  for (int i = 0; i < 4; ++i) hash.add_number(bits.next());
  return hex_of(hash.finish());
}

bool exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

/// An anchor's point must lie on the chain.
void check_point(const Chain& chain, const AnchorPoint& point) {
  if (point.sequence > chain.sequence()) {
    throw Error(ErrorKind::invalid_data,
                "the ledger is behind its anchor (record " + std::to_string(chain.sequence()) + " of " +
                    std::to_string(point.sequence) +
                    "): it was restored from an older copy, cut, or a copy of it was used",
                "ledger");
  }
  if (chain.hash_at(point.sequence) != point.hash) {
    throw Error(ErrorKind::invalid_data,
                "the ledger and its anchor disagree at record " + std::to_string(point.sequence) +
                    ": this is a copy that went its own way, or one of them was edited",
                "ledger");
  }
}

}  // namespace

void SqliteLedger::create(const std::string& path, LedgerTerms terms, const std::string& anchor) {
  const std::string place = absolute_path(path);
  const std::string anchor_place = absolute_path(anchor.empty() ? path + ".anchor" : anchor);
  require(place != anchor_place, "anchor", "must be another file than the ledger");
  if (exists(place)) throw Error(ErrorKind::io, place + ": is there already and is not replaced", "ledger");
  Digest parsed{};
  require(digest_from_hex(terms.fingerprint, parsed), "fingerprint", "must be 64 hexadecimal digits");
  require(!terms.unit.empty(), "unit", "must not be empty");
  terms.id = random_id();
  terms.filter = Filter::open(terms.filter.kind, terms.filter.budget, terms.filter.rdp_order).state();

  FreshFile fresh(place);
  Chain chain;
  {
    SqliteStore store(fresh.temporary_path(), SqliteConnection::Mode::create);
    SqliteTransaction transaction(store.connection());
    const LedgerPlace where{place, anchor_place, inode_of(fresh.temporary_path())};
    for (const auto& [kind, detail] :
         {std::pair{RecordKind::opened, text_of(terms)}, {RecordKind::placed, text_of(where)}}) {
      LedgerRecord record;
      record.kind = kind;
      record.time = system_seconds();
      record.detail = detail;
      record = chain.next(std::move(record));
      store.append(record, nullptr);
      chain.add(record);
    }
    transaction.commit();
  }  // closing moves the log into the file, which can then change its name
  // An anchor that is there already is not replaced: it may be what is left of a ledger that was spent and removed.
  Anchor::create(anchor_place, terms.id, {chain.sequence(), chain.hash()});
  fresh.commit();
}

SqliteLedger::SqliteLedger(const std::string& path, Clock clock)
    : SqliteLedger(path, std::move(clock), Trust::placed) {}

SqliteLedger::SqliteLedger(const std::string& path, Clock clock, Trust trust)
    : path_(absolute_path(path)),
      clock_(clock ? std::move(clock) : Clock(system_seconds)),
      store_((inode_of(path_), path_), SqliteConnection::Mode::open) {
  refresh();
  if (trust == Trust::placed) open();
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
  record.time = clock_();
  record = chain_.next(std::move(record));
  store_.append(record, bytes);
  return record;
}

LedgerRecord SqliteLedger::write(const std::function<LedgerRecord()>& make, const std::string* bytes) {
  usable();
  try {
    Anchor anchor(place().anchor, terms().id);  // also the lock that keeps the anchor in the order of the records
    SqliteTransaction transaction(store_.connection());
    store_.catch_up(chain_);
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

Ledger::Reserved SqliteLedger::do_reserve(const Spending& spending) {
  const LedgerRecord written = write(
      [&] {
        LedgerRecord record;
        record.kind = RecordKind::reserved;
        record.cost = chain_.filter().cost_of(spending.event, spending.distance);
        record.request = spending.request;
        record.detail = event_text(spending.event);
        if (!chain_.filter().fits(record.cost)) refuse_spending(chain_.filter(), record.cost);
        return record;
      },
      nullptr);
  return {written.entry, written.cost, written.spent};
}

LedgerRecord SqliteLedger::ending(RecordKind kind, std::uint64_t number) const {
  const LedgerEntry* entry = chain_.find(number);
  if (entry == nullptr || entry->state != EntryState::reserved) {
    throw Error(ErrorKind::internal, "the ledger has no such reservation");
  }
  LedgerRecord record;
  record.kind = kind;
  record.entry = number;
  record.cost = entry->cost;
  return record;
}

void SqliteLedger::do_release(std::uint64_t entry, const std::string& bytes) {
  write(
      [&] {
        LedgerRecord record = ending(RecordKind::released, entry);
        record.detail = hex_of(sha256(bytes));
        return record;
      },
      &bytes);
}

void SqliteLedger::do_cancel(std::uint64_t entry) {
  write([&] { return ending(RecordKind::voided, entry); }, nullptr);
}

LedgerCheck SqliteLedger::verify() {
  usable();
  const Anchor anchor(place().anchor, terms().id);
  SqliteTransaction snapshot(store_.connection());
  store_.check_integrity();
  Chain chain;
  store_.catch_up(chain);
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

void SqliteLedger::move(const std::string& path, const std::string& anchor) {
  SqliteLedger ledger(path, {}, Trust::anywhere);
  ledger.relocate(absolute_path(anchor.empty() ? path + ".anchor" : anchor));
}

void SqliteLedger::relocate(const std::string& anchor) {
  std::vector<std::string> paths{anchor};
  for (const LedgerPlace& former : chain_.places()) paths.push_back(former.anchor);
  std::ranges::sort(paths);
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());

  std::vector<std::unique_ptr<Anchor>> reached;
  for (const std::string& each : paths) {
    if (!exists(each)) continue;
    reached.push_back(std::make_unique<Anchor>(each, terms().id));
  }
  refresh();  // the locks are ours now
  for (const auto& each : reached) check_point(chain_, each->last());
  if (reached.empty()) {
    throw Error(ErrorKind::io, "no anchor of this ledger can be reached, so it cannot be told from a restored copy",
                "anchor");
  }
  // Made before the record that names it: a crash in between leaves the ledger where it was, with an anchor too many.
  if (!exists(anchor)) {
    Anchor::create(anchor, terms().id, {chain_.sequence(), chain_.hash()});
    reached.push_back(std::make_unique<Anchor>(anchor, terms().id));
  }
  SqliteTransaction transaction(store_.connection());
  store_.catch_up(chain_);
  LedgerRecord record;
  record.kind = RecordKind::placed;
  record.detail = text_of(LedgerPlace{path_, anchor, inode_of(path_)});
  record = commit(std::move(record), nullptr);
  transaction.commit();
  for (const auto& each : reached) each->append({record.sequence, record.hash});
}

}  // namespace sotto
