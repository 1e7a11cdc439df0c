#include "sotto/privacy/ledger/chain.h"

#include <algorithm>

#include "sotto/base/error.h"
#include "sotto/privacy/ledger/ledger.h"
#include "sotto/privacy/ledger/price.h"

namespace sotto {
namespace {

[[noreturn]] void broken(const LedgerRecord& record, const std::string& why) {
  throw Error(ErrorKind::invalid_data,
              "the ledger is damaged or was edited: record " + std::to_string(record.sequence) + " " + why, "ledger");
}

}  // namespace

void Chain::add(const LedgerRecord& record) {
  check_link(record);
  switch (record.kind) {
    case RecordKind::opened: open(record); break;
    case RecordKind::placed:
      places_.push_back(place_from(record.detail));
      placed_sequence_ = record.sequence;
      break;
    case RecordKind::reserved: reserve(record); break;
    case RecordKind::released: close(record, EntryState::released); break;
    case RecordKind::voided: close(record, EntryState::voided); break;
    case RecordKind::granted: grant(record); break;
  }
  if (!(filter_->spent() == record.spent)) broken(record, "states another total than the entries add up to");
  hashes_.push_back(record.hash);
}

void Chain::check_link(const LedgerRecord& record) const {
  if (record.sequence != hashes_.size()) broken(record, "is out of sequence");
  if (record.previous != (empty() ? Digest{} : hash())) broken(record, "does not follow the one before it");
  if (record.hash != hash_of(record)) broken(record, "does not have the hash of its content");
  if ((record.kind == RecordKind::opened) != empty()) broken(record, "opens a ledger that is open");
  if (record.sequence == 1 && record.kind != RecordKind::placed) broken(record, "does not say where the ledger is");
}

void Chain::open(const LedgerRecord& record) {
  terms_ = terms_from(record.detail);
  filter_ = Filter::reopen(terms_.filter);
}

void Chain::reserve(const LedgerRecord& record) {
  if (record.entry != record.sequence) broken(record, "reserves for another entry");
  if (!filter_->fits(record.cost)) broken(record, "spends more than the budget");
  if (!record.analyst.empty()) {
    if (!share_of(record.analyst).fits(record.cost)) broken(record, "spends more than the share of its analyst");
    Filter::Cost& spent = spent_by_[record.analyst];
    spent = {spent.loss + record.cost.loss, spent.delta + record.cost.delta};
  }
  filter_->spend(record.cost);
  entries_.push_back({record.sequence, EntryState::reserved, record.cost, record.request, record.detail, "",
                      record.time, record.token, record.analyst});
}

void Chain::grant(const LedgerRecord& record) {
  const ShareGrant granted = grant_from(record.detail);
  shares_[granted.analyst] = granted.millionths;
}

AnalystShare Chain::share_of(const std::string& analyst) const {
  const auto granted = shares_.find(analyst);
  const auto spent = spent_by_.find(analyst);
  const std::uint32_t share = granted != shares_.end() ? granted->second : terms_.analyst_share;
  return {analyst, share, sotto::share_of(terms_.filter.limit, share),
          spent != spent_by_.end() ? spent->second : Filter::Cost{}};
}

void Chain::close(const LedgerRecord& record, EntryState state) {
  LedgerEntry* entry = find_open(record.entry);
  if (entry == nullptr) broken(record, "ends an entry that is not reserved");
  if (!(entry->cost == record.cost)) broken(record, "states another cost than was reserved");
  if (hex_of(sha256(record.token)) != entry->token) broken(record, "ends an entry that another reservation holds");
  if (state == EntryState::released) entry->released = record.detail;
  entry->state = state;
  if (state != EntryState::voided) return;
  if (!entry->analyst.empty()) {
    Filter::Cost& spent = spent_by_[entry->analyst];
    spent = {spent.loss - entry->cost.loss, spent.delta - entry->cost.delta};
  }
  Filter::State less = filter_->state();
  less.spent = spent_after(RecordKind::voided, record.cost);
  filter_ = Filter::reopen(less);
}

Filter::Cost Chain::spent_after(RecordKind kind, const Filter::Cost& cost) const noexcept {
  Filter::Cost spent = filter_ ? filter_->spent() : Filter::Cost{};
  if (kind == RecordKind::reserved) return {spent.loss + cost.loss, spent.delta + cost.delta};
  if (kind == RecordKind::voided) return {spent.loss - cost.loss, spent.delta - cost.delta};
  return spent;
}

LedgerRecord Chain::next(LedgerRecord record) const {
  record.sequence = hashes_.size();
  if (record.kind == RecordKind::reserved) record.entry = record.sequence;
  record.spent = spent_after(record.kind, record.cost);
  record.previous = empty() ? Digest{} : hash();
  record.hash = hash_of(record);
  return record;
}

LedgerRecord Chain::reservation(const Spending& spending, const std::string& token, const std::string& analyst) const {
  LedgerRecord record;
  record.kind = RecordKind::reserved;
  record.cost = charged_cost(*filter_, spending.event, spending.distance);
  record.request = spending.request;
  record.detail = event_text(spending.event);
  record.token = token;
  record.analyst = analyst;
  if (!filter_->fits(record.cost)) refuse_spending(*filter_, record.cost);
  if (analyst.empty()) return record;
  const AnalystShare share = share_of(analyst);
  if (!share.fits(record.cost)) refuse_share(share, *filter_, record.cost);
  return record;
}

LedgerRecord Chain::ending(std::uint64_t number, const std::string& nonce) const {
  const LedgerEntry* entry = find(number);
  if (entry == nullptr || entry->state != EntryState::reserved || entry->token != hex_of(sha256(nonce))) {
    throw Error(ErrorKind::internal, "the ledger has no such reservation");
  }
  LedgerRecord record;
  record.entry = number;
  record.cost = entry->cost;
  record.token = nonce;
  record.time = entry->time;  // how long a run took may depend on the rows, or be its secret number of trials
  return record;
}

LedgerRecord Chain::release(std::uint64_t entry, const std::string& nonce, const std::string& bytes) const {
  LedgerRecord record = ending(entry, nonce);
  record.kind = RecordKind::released;
  record.detail = hex_of(sha256(bytes));
  return record;
}

LedgerRecord Chain::cancellation(std::uint64_t entry, const std::string& nonce) const {
  LedgerRecord record = ending(entry, nonce);
  record.kind = RecordKind::voided;
  return record;
}

std::optional<Digest> Chain::hash_at(std::uint64_t sequence) const noexcept {
  if (sequence >= hashes_.size()) return std::nullopt;
  return hashes_[sequence];
}

const LedgerEntry* Chain::find(std::uint64_t entry) const noexcept {
  const auto found = std::ranges::lower_bound(entries_, entry, {}, &LedgerEntry::number);
  return found != entries_.end() && found->number == entry ? &*found : nullptr;
}

const LedgerEntry* Chain::find_released(const std::string& request) const noexcept {
  const auto found = std::ranges::find_if(entries_, [&](const LedgerEntry& entry) {
    return entry.state == EntryState::released && entry.request == request;
  });
  return found != entries_.end() ? &*found : nullptr;
}

LedgerEntry* Chain::find_open(std::uint64_t entry) noexcept {
  auto* found = const_cast<LedgerEntry*>(find(entry));
  return found != nullptr && found->state == EntryState::reserved ? found : nullptr;
}

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

void check_bytes(const LedgerEntry& entry, const std::string& bytes) {
  if (hex_of(sha256(bytes)) == entry.released) return;
  throw Error(ErrorKind::invalid_data, "a stored model is not the one that was released", "ledger");
}

LedgerCheck check_all(const Chain& chain, const Anchor& anchor,
                      const std::function<void(const LedgerEntry&)>& look_at) {
  LedgerCheck check;
  for (const LedgerEntry& entry : chain.entries()) {
    if (entry.state != EntryState::released) continue;
    look_at(entry);
    ++check.models;
  }
  for (const AnchorPoint& point : anchor.points()) check_point(chain, point);
  check.records = chain.sequence() + 1;
  check.anchored = anchor.last().sequence;
  return check;
}

}  // namespace sotto
