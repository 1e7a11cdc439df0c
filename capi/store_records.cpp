#include "capi/store_records.h"

#include <exception>
#include <nlohmann/json.hpp>

#include "capi/boundary.h"
#include "sotto/base/fields.h"

namespace sotto::capi {
namespace {

using Json = nlohmann::ordered_json;

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

std::vector<LedgerRecord> read_records(const sotto_store& store, std::uint64_t first) {
  using Records = Taker<std::vector<LedgerRecord>>;
  Records taker;
  const auto take = [](void* to, const sotto_record* record) {
    static_cast<Records*>(to)->take([&](auto& list) { list.push_back(record_of(*record)); });
  };
  return taker.finish(store.records(store.context, first, take, &taker));
}

HostHead read_head(const sotto_store& store) {
  using Heads = Taker<std::vector<HostHead>>;
  Heads taker;
  const auto take = [](void* to, const sotto_head* head) {
    static_cast<Heads*>(to)->take([&](auto& list) {
      const sotto_terms& terms = head->terms;
      list.push_back({head->sequence,
                      head->hash,
                      {head->spent_loss, head->spent_delta},
                      {terms.limit_loss, terms.limit_delta},
                      terms.filter,
                      terms.relation,
                      terms.epsilon,
                      terms.delta,
                      head->fingerprint != nullptr ? head->fingerprint : ""});
    });
  };
  std::vector<HostHead> heads = taker.finish(store.head(store.context, take, &taker));
  if (heads.size() != 1) unreadable();
  return std::move(heads.front());
}

std::string read_bytes(const sotto_store& store, std::uint64_t entry) {
  using Bytes = Taker<std::string>;
  Bytes taker;
  const auto take = [](void* to, const char* bytes, std::size_t size) {
    static_cast<Bytes*>(to)->take([&](std::string& text) { text.assign(bytes, size); });
  };
  return taker.finish(store.bytes(store.context, entry, take, &taker));
}

void prepare(const sotto_store& store) {
  if (store.prepare != nullptr) proceed(store.prepare(store.context));
}

bool append_record(const sotto_store& store, const LedgerRecord& record, const LedgerTerms* terms,
                   const std::string* bytes) {
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
  if (terms != nullptr) {
    filter = enum_name(terms->filter.kind);
    relation = enum_name(terms->filter.budget.relation);
    fixed = {
        filter.c_str(),           relation.c_str(),         terms->filter.budget.epsilon, terms->filter.budget.delta,
        terms->filter.limit.loss, terms->filter.limit.delta};
  }
  const int answer = store.append(store.context, &given, terms != nullptr ? &fixed : nullptr,
                                  bytes != nullptr ? bytes->data() : nullptr, bytes != nullptr ? bytes->size() : 0);
  if (answer == SOTTO_APPEND_OUTDATED) return false;
  proceed(answer);
  return true;
}

std::string place_text(const LedgerPlace& place, const Binding& binding) {
  return Json{{"ledger", place.path}, {"anchor", place.anchor},
              {"inode", place.inode}, {"fingerprint", binding.fingerprint},
              {"rows", binding.rows}, {"key", binding.key}}
      .dump();
}

Binding binding_from(const std::string& detail) {
  try {
    const Json json = Json::parse(detail);
    return {json.at("fingerprint").get<std::string>(), json.at("rows").get<std::uint64_t>(),
            json.at("key").get<std::string>()};
  } catch (const nlohmann::json::exception&) {
    unreadable();
  }
}

Digest key_of(const Binding& binding) {
  Digest key{};
  if (!digest_from_hex(binding.key, key)) unreadable();
  return key;
}

std::string tag_of(const Binding& binding) { return hex_of(hmac_sha256(key_of(binding), binding.fingerprint)); }

}  // namespace sotto::capi
