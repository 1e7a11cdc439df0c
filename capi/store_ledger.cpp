#include "capi/store_ledger.h"

#include <algorithm>

#include "capi/boundary.h"
#include "capi/store_records.h"
#include "sotto/base/fields.h"
#include "sotto/privacy/ledger/files.h"

namespace sotto::capi {

StoreLedger::StoreLedger(const sotto_store& store) : StoreLedger(store, Trust::placed) {}

StoreLedger::StoreLedger(const sotto_store& store, Trust trust) : store_(store) {
  refresh();
  if (trust == Trust::placed) open();
}

void StoreLedger::refuse_copy() const {
  if (chain_.place().path == store_.place) return;
  throw Error(ErrorKind::invalid_data,
              "this is a copy of a ledger, and only one copy may spend; if it is the one that counts from now on, "
              "its owner says so by moving it",
              "ledger");
}

std::function<void()> StoreLedger::waiting() const {
  if (store_.poll == nullptr) return {};
  return [this] { proceed(store_.poll(store_.context)); };
}

void StoreLedger::open() {
  refuse_copy();
  const std::string path = chain_.place().anchor;
  without_path(path, [&] {
    Anchor anchor(path, chain_.terms().id, waiting());
    refresh();  // another process may have written before the lock was ours
    check_point(chain_, anchor.last());
    if (anchor.last().sequence < chain_.placed_sequence()) {
      throw Error(ErrorKind::invalid_data, "a move or refresh of this ledger did not finish; do it again", "ledger");
    }
    check_head();
    if (anchor.last().sequence < chain_.sequence()) anchor.append({chain_.sequence(), chain_.hash()});
  });
}

std::vector<LedgerRecord> StoreLedger::read(std::uint64_t first) const { return read_records(store_, first); }

void StoreLedger::refresh() {
  for (const LedgerRecord& record : read(chain_.empty() ? 0 : chain_.sequence() + 1)) {
    chain_.add(record);
    if (record.kind == RecordKind::opened) terms_ = chain_.terms();
    if (record.kind != RecordKind::placed) continue;
    bound_ = binding_from(record.detail);
    if (hex_of(sha256(bound_.key)) != terms_.key_check) {
      throw Error(ErrorKind::invalid_data, "the ledger is damaged or was edited: its key is another", "ledger");
    }
    check_public_key();
    terms_.data_tag = tag_of(bound_);
    terms_.rows = bound_.rows;
  }
  if (chain_.places().empty()) throw Error(ErrorKind::invalid_data, "the ledger was never completed", "ledger");
}

Digest StoreLedger::secret() const { return key_of(bound_); }

bool StoreLedger::is_about(const Digest& fingerprint) const { return hex_of(fingerprint) == bound_.fingerprint; }

Filter StoreLedger::filter() {
  refresh();
  return chain_.filter();
}

std::optional<AnalystShare> StoreLedger::share() {
  refresh();
  if (analyst().empty()) return std::nullopt;
  AnalystShare share = chain_.share_of(analyst());
  return share.millionths == kWholeBudget ? std::nullopt : std::optional(std::move(share));
}

std::vector<LedgerEntry> StoreLedger::entries() {
  refresh();
  return chain_.entries();
}

std::vector<LedgerRecord> StoreLedger::records() { return read(0); }

std::optional<std::string> StoreLedger::stored(const std::string& request) {
  refresh();
  const LedgerEntry* entry = chain_.find_released(request);
  return entry != nullptr ? std::optional(bytes_of(*entry)) : std::nullopt;
}

std::string StoreLedger::bytes_of(const LedgerEntry& entry) {
  std::string bytes = read_bytes(store_, entry.number);
  check_bytes(entry, bytes);
  return bytes;
}

std::optional<LedgerRecord> StoreLedger::commit(const Make& make, const std::string* bytes) {
  const std::uint64_t placed = chain_.placed_sequence();
  while (chain_.placed_sequence() == placed) {
    LedgerRecord record = make();
    if (record.time == 0) record.time = seconds_now();
    record = chain_.next(std::move(record));
    const bool appended = append_record(store_, record, nullptr, bytes);
    const std::uint64_t before = chain_.sequence();
    // What the host committed is what counts: read it back rather than trust what was sent.
    refresh();
    if (chain_.hash_at(record.sequence) == record.hash) return record;
    if (appended) {
      throw Error(ErrorKind::invalid_data, "the record that was written is not the one that is there", "ledger");
    }
    if (chain_.sequence() == before) {
      throw Error(ErrorKind::invalid_data, "the ledger was not written; what it ends with is not what its records say",
                  "ledger");
    }
    // The session of another writer ended, and left its lock to us, while its host still committed. That record came
    // first; whether ours still fits is asked again.
  }
  return std::nullopt;
}

LedgerRecord StoreLedger::write(const Make& make, const std::string* bytes, OnMove on_move) {
  prepare(store_);  // no lock is held while the host waits for what it needs
  for (;;) {
    const std::string path = chain_.place().anchor;
    const auto written = without_path(path, [&] { return write_at(path, make, bytes); });
    if (written) return *written;
    if (on_move == OnMove::refuse) {
      throw Error(ErrorKind::invalid_data, "the ledger was moved or its rows refreshed meanwhile; ask again", "ledger");
    }
    finish_move();
  }
}

std::optional<LedgerRecord> StoreLedger::write_at(const std::string& path, const Make& make, const std::string* bytes) {
  const std::uint64_t placed = chain_.placed_sequence();
  Anchor anchor(path, chain_.terms().id, waiting());
  refresh();
  if (chain_.placed_sequence() != placed) return std::nullopt;
  check_point(chain_, anchor.last());
  if (anchor.last().sequence < placed) return std::nullopt;
  std::optional<LedgerRecord> record = commit(make, bytes);
  if (record) anchor.append({record->sequence, record->hash});
  return record;
}

Ledger::Reserved StoreLedger::do_reserve(const Spending& spending, const std::string& token) {
  const LedgerRecord written = write([&] { return chain_.reservation(spending, token, analyst()); }, nullptr);
  return {written.entry, written.cost, written.spent};
}

// The rows an entry was reserved for may be refreshed while it is trained; what it releases was paid for all the same.
void StoreLedger::do_release(const Ending& end, const std::string& bytes) {
  refresh();
  write([&] { return chain_.release(end.entry, end.nonce, bytes); }, &bytes, OnMove::follow);
}

void StoreLedger::do_cancel(const Ending& end) {
  write([&] { return chain_.cancellation(end.entry, end.nonce); }, nullptr);
}

void StoreLedger::grant(const ShareGrant& granted) {
  require(!granted.analyst.empty(), "analyst", "must not be empty");
  LedgerRecord record;
  record.kind = RecordKind::granted;
  record.detail = text_of(granted);
  write([&] { return record; }, nullptr);
}

// The host commits a record and its totals together. It hands them over one after the other, so that another process
// may have written in between: then the records are read on.
void StoreLedger::check_head() {
  if (store_.head == nullptr) return;
  refresh();
  HostHead head = read_head(store_);
  while (head.sequence > chain_.sequence()) {
    const std::uint64_t before = chain_.sequence();
    refresh();
    if (chain_.sequence() == before) break;  // no record goes with it
    head = read_head(store_);
  }
  const Filter::State& filter = chain_.filter().state();
  const Budget& budget = filter.budget;
  const bool agrees = head.sequence == chain_.sequence() && head.hash == hex_of(chain_.hash()) &&
                      head.spent == filter.spent && head.limit == filter.limit &&
                      head.filter == enum_name(filter.kind) && head.relation == enum_name(budget.relation) &&
                      head.epsilon == budget.epsilon && head.delta == budget.delta &&
                      head.fingerprint == bound_.fingerprint;
  if (agrees) return;
  throw Error(ErrorKind::invalid_data,
              "the ledger is damaged or was edited: its totals and limits are not those of its records", "ledger");
}

LedgerCheck StoreLedger::verify() {
  const std::string path = chain_.place().anchor;
  return without_path(path, [&] {
    const Anchor anchor(path, chain_.terms().id, waiting());
    Chain chain;
    for (const LedgerRecord& record : read(0)) chain.add(record);
    const LedgerCheck check = check_all(chain, anchor, [&](const LedgerEntry& entry) { bytes_of(entry); });
    check_head();
    return check;
  });
}

}  // namespace sotto::capi
