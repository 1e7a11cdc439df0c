#include "sotto/privacy/ledger/chain.h"

#include <algorithm>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/base/rounded_text.h"
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
    case RecordKind::lowered:
    case RecordKind::corrected: change(record); break;
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
  opened_limit_ = terms_.filter.limit;
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

namespace {

/// The same currency, and no more of anything: what was spent keeps its meaning.
bool is_lower(const Filter::State& next, const Filter::State& now) {
  return next.kind == now.kind && next.rdp_order == now.rdp_order && next.budget.relation == now.budget.relation &&
         next.budget.epsilon <= now.budget.epsilon && next.budget.delta <= now.budget.delta &&
         next.limit.loss <= now.limit.loss && next.limit.delta <= now.limit.delta;
}

/// The least epsilon, up to the present one, at which what is spent is within the limit.
double least_epsilon(const Filter::State& now, double delta) {
  double low = 0, high = now.budget.epsilon;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    bool holds = false;
    try {
      holds =
          now.spent.loss <= Filter::open(now.kind, {middle, delta, now.budget.relation}, now.rdp_order).limit().loss;
    } catch (const Error&) {
      holds = false;  // no filter has so small a budget
    }
    (holds ? high : low) = middle;
  }
  return high;
}

}  // namespace

bool Chain::charged() const noexcept {
  return std::ranges::any_of(entries_, [](const LedgerEntry& entry) { return entry.state != EntryState::voided; });
}

void Chain::change(const LedgerRecord& record) {
  const ChangedTerms changed = changed_terms_from(record.detail);
  Filter::State next = changed.filter;
  const bool lowered = record.kind == RecordKind::lowered;
  if (next.budget.relation != terms_.filter.budget.relation) broken(record, "changes the relation");
  if (lowered && !is_lower(next, filter_->state())) broken(record, "raises the budget");
  if (!lowered && charged()) broken(record, "changes the terms of a ledger that was charged");
  next.spent = filter_->spent();
  filter_ = Filter::reopen(next);
  terms_.filter = changed.filter;
  if (!lowered) terms_.analyst_share = changed.analyst_share;
  changed_sequence_ = record.sequence;
}

LedgerRecord Chain::lowering(double epsilon, double delta) const {
  const Filter::State& now = filter_->state();
  require(epsilon <= now.budget.epsilon, "budget_epsilon",
          "got " + number_text(epsilon) + ", and the budget is " + number_text(now.budget.epsilon) +
              "; a budget may be lowered and never raised");
  require(delta <= now.budget.delta, "budget_delta",
          "got " + number_text(delta) + ", and the budget is " + number_text(now.budget.delta) +
              "; a budget may be lowered and never raised");
  require(epsilon < now.budget.epsilon || delta < now.budget.delta, "budget_epsilon", "that is the budget already");
  Filter::State next = Filter::open(now.kind, {epsilon, delta, now.budget.relation}, now.rdp_order).state();
  if (now.spent.delta > next.limit.delta) {
    throw Error(ErrorKind::budget_exceeded, "budget_delta: more of delta is spent already", "budget_delta");
  }
  if (now.spent.loss > next.limit.loss) {
    throw Error(ErrorKind::budget_exceeded,
                "budget_epsilon: more is spent already; the budget can be lowered to epsilon " +
                    up_text(least_epsilon(now, delta), 4) + " at delta " + number_text(delta),
                "budget_epsilon");
  }
  // A limit is found by a search, which may not fall with the last digits of a budget. No reader would take the record.
  require(is_lower(next, now), "budget_epsilon", "is too close to the present budget");
  LedgerRecord record;
  record.kind = RecordKind::lowered;
  record.detail = text_of(ChangedTerms{next, terms_.analyst_share});
  return record;
}

LedgerRecord Chain::correction(const ChangedTerms& changed) const {
  if (charged()) {
    throw Error(ErrorKind::unsupported, "the ledger was charged: its budget can be lowered, and nothing else changed",
                "ledger");
  }
  require(changed.filter.budget.relation == terms_.filter.budget.relation, "relation", "is that of the rows");
  Filter::State next = Filter::open(changed.filter.kind, changed.filter.budget, changed.filter.rdp_order).state();
  LedgerRecord record;
  record.kind = RecordKind::corrected;
  record.detail = text_of(ChangedTerms{next, changed.analyst_share});
  return record;
}

AnalystShare Chain::share_of(const std::string& analyst) const {
  const auto granted = shares_.find(analyst);
  const auto spent = spent_by_.find(analyst);
  const std::uint32_t share = granted != shares_.end() ? granted->second : terms_.analyst_share;
  return {analyst, share, sotto::share_of(filter_->limit(), share),
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
