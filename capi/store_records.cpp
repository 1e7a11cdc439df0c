#include "capi/store_records.h"

#include <exception>

#include "capi/boundary.h"
#include "sotto/base/fields.h"

namespace sotto::capi {
namespace {

[[noreturn]] void unreadable() {
  throw Error(ErrorKind::invalid_data, "the ledger is damaged or was edited: a record cannot be read", "ledger");
}

LedgerRecord record_of(const sotto_record& given) {
  LedgerRecord record;
  record.sequence = given.sequence;
  try {
    record.kind = enum_by_name<RecordKind>(given.kind, "kind");
  } catch (const Error&) {
    unreadable();
  }
  record.entry = given.entry;
  record.time = given.time;
  record.cost = {given.cost_loss, given.cost_delta};
  record.spent = {given.spent_loss, given.spent_delta};
  record.request = given.request;
  record.detail = given.detail;
  record.token = given.token;
  if (given.analyst != nullptr) record.analyst = given.analyst;
  if (!digest_from_hex(given.previous, record.previous) || !digest_from_hex(given.hash, record.hash)) unreadable();
  return record;
}

/// Collects what the host hands over. The host's frames are below: nothing may be thrown through them.
template <class T>
struct Taker {
  T taken;
  std::exception_ptr thrown;

  template <class Take>
  void take(const Take& body) noexcept {
    if (thrown) return;
    try {
      body(taken);
    } catch (...) {
      thrown = std::current_exception();
    }
  }
  T finish(int answer) {
    proceed(answer);
    if (thrown) std::rethrow_exception(thrown);
    return std::move(taken);
  }
};

}  // namespace

std::vector<LedgerRecord> StoreRecords::records(std::uint64_t first) const {
  using Records = Taker<std::vector<LedgerRecord>>;
  Records taker;
  const auto take = [](void* to, const sotto_record* record) {
    static_cast<Records*>(to)->take([&](auto& list) { list.push_back(record_of(*record)); });
  };
  return taker.finish(store_.records(store_.context, first, take, &taker));
}

StoredHead StoreRecords::head() const {
  using Heads = Taker<std::vector<StoredHead>>;
  Heads taker;
  const auto take = [](void* to, const sotto_head* head) {
    static_cast<Heads*>(to)->take([&](auto& list) {
      const sotto_terms& terms = head->terms;
      list.push_back({head->sequence,
                      head->hash,
                      {head->spent_loss, head->spent_delta},
                      {terms.limit_loss, terms.limit_delta},
                      StoredHead::Terms{terms.filter, terms.relation, terms.epsilon, terms.delta,
                                        head->fingerprint != nullptr ? head->fingerprint : ""}});
    });
  };
  std::vector<StoredHead> heads = taker.finish(store_.head(store_.context, take, &taker));
  if (heads.size() != 1) unreadable();
  return std::move(heads.front());
}

// The host commits a record and its totals together. It hands them over one after the other, so that another process
// may have written in between: then the records are read on.
StoredRecords StoreRecords::read(std::uint64_t first) {
  StoredRecords now{records(first), std::nullopt};
  if (store_.head == nullptr) return now;
  now.head = head();
  for (std::uint64_t next = first + now.records.size(); now.head->sequence >= next;) {
    const std::vector<LedgerRecord> more = records(next);
    if (more.empty()) break;  // no record goes with it
    now.records.insert(now.records.end(), more.begin(), more.end());
    next += more.size();
    now.head = head();
  }
  return now;
}

std::string StoreRecords::bytes_of(std::uint64_t entry) {
  using Bytes = Taker<std::string>;
  Bytes taker;
  const auto take = [](void* to, const char* bytes, std::size_t size) {
    static_cast<Bytes*>(to)->take([&](std::string& text) { text.assign(bytes, size); });
  };
  return taker.finish(store_.bytes(store_.context, entry, take, &taker));
}

Digest StoreRecords::key(const LedgerPlace& place) const {
  Digest key{};
  if (!place.bound || !digest_from_hex(place.bound->key, key)) unreadable();
  return key;
}

Anchor StoreRecords::lock(const std::string& path, const std::string& id) {
  if (store_.poll == nullptr) return {path, id};
  return {path, id, [this] { proceed(store_.poll(store_.context)); }};
}

void StoreRecords::prepare() {
  if (store_.prepare != nullptr) proceed(store_.prepare(store_.context));
}

bool StoreRecords::append(const LedgerRecord& record, const std::string* bytes) {
  const std::string kind(enum_name(record.kind));
  const std::string previous = hex_of(record.previous);
  const std::string hash = hex_of(record.hash);
  const sotto_record given{record.sequence,        kind.c_str(),
                           record.entry,           record.time,
                           record.cost.loss,       record.cost.delta,
                           record.spent.loss,      record.spent.delta,
                           record.request.c_str(), record.detail.c_str(),
                           previous.c_str(),       hash.c_str(),
                           record.token.c_str(),   record.analyst.empty() ? nullptr : record.analyst.c_str()};
  std::string filter;
  std::string relation;
  sotto_terms fixed{};
  const bool has_terms =
      record.kind == RecordKind::opened || record.kind == RecordKind::lowered || record.kind == RecordKind::corrected;
  if (has_terms) {
    const Filter::State state = changed_terms_from(record.detail).filter;
    filter = enum_name(state.kind);
    relation = enum_name(state.budget.relation);
    fixed = {filter.c_str(),     relation.c_str(), state.budget.epsilon,
             state.budget.delta, state.limit.loss, state.limit.delta};
  }
  const int answer = store_.append(store_.context, &given, has_terms ? &fixed : nullptr,
                                   bytes != nullptr ? bytes->data() : nullptr, bytes != nullptr ? bytes->size() : 0);
  if (answer == SOTTO_APPEND_OUTDATED) return false;
  proceed(answer);
  return true;
}

}  // namespace sotto::capi
