#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "capi/boundary.h"
#include "capi/plain_json.h"
#include "capi/store_ledger.h"
#include "sotto/base/fields.h"
#include "sotto/base/rounded_text.h"
#include "sotto/model/filter_json.h"
#include "sotto/privacy/ledger/asked_budget.h"

// The budget of a data set, as its holder declares it.
namespace sotto::capi {
namespace {

/// What is said about a budget; what is left out has its default, or stays as it was.
struct GivenTerms {
  AskedBudget budget;
  std::optional<std::uint32_t> analyst_share{};
  std::string unit = LedgerTerms().unit;
  bool blind = false;
};

void take_option(const std::string& key, const Json& value, GivenTerms& given) {
  if (key == "budget_epsilon") {
    given.budget.epsilon = value.get<double>();
  } else if (key == "budget_delta") {
    given.budget.delta = value.get<double>();
  } else if (key == "filter") {
    given.budget.filter = value.get<std::string>();
  } else if (key == "rdp_order") {
    given.budget.rdp_order = value.get<double>();
  } else if (key == "analyst_share") {
    given.analyst_share = millionths_of(value.get<double>(), "analyst_share");
  } else if (key == "blind") {
    given.blind = value.get<bool>();
  } else if (key == "unit") {
    given.unit = value.get<std::string>();
  } else {
    require(false, key, "is no option of a ledger");
  }
}

GivenTerms given_terms(const std::string& options) {
  GivenTerms given;
  try {
    const Json json = parse_plain(options, "options");
    for (const auto& [key, value] : json.items()) {
      if (!value.is_null()) take_option(key, value, given);
    }
  } catch (const Json::exception&) {
    throw Error(ErrorKind::invalid_argument, "options: cannot be read", "options");
  }
  require(!given.unit.empty(), "unit", "must not be empty");
  return given;
}

LedgerTerms new_terms(const GivenTerms& given, std::uint64_t rows) {
  LedgerTerms terms;
  terms.rows = rows;
  terms.unit = given.unit;
  terms.blind = given.blind;
  terms.analyst_share = given.analyst_share.value_or(kWholeBudget);
  terms.filter = opened_filter(given.budget, rows).state();
  return terms;
}

bool is_charged(StoreLedger& ledger) {
  return std::ranges::any_of(ledger.entries(), [](const auto& entry) { return entry.state != EntryState::voided; });
}

/// A budget that is in use is granted once: only what is left out may differ.
void require_same(const GivenTerms& given, const LedgerTerms& terms) {
  const Budget& had = terms.filter.budget;
  const bool same = given.budget.epsilon == had.epsilon && given.budget.delta.value_or(had.delta) == had.delta &&
                    (given.budget.filter.empty() || given.budget.filter == enum_name(terms.filter.kind)) &&
                    (given.budget.rdp_order == 0 || given.budget.rdp_order == terms.filter.rdp_order) &&
                    given.analyst_share.value_or(terms.analyst_share) == terms.analyst_share;
  if (same) return;
  throw Error(ErrorKind::invalid_argument,
              "epsilon: these rows had another budget before, and models were trained under it: epsilon " +
                  number_text(had.epsilon) + ", delta " + number_text(had.delta) + ", filter " +
                  std::string(enum_name(terms.filter.kind)) +
                  ". A budget is granted once: register them with this one to go on",
              "epsilon");
}

/// Rows that come back go on with their ledger. Where nothing was charged its terms are set anew.
void resume(const sotto_store& store, const GivenTerms& given, std::uint64_t rows) {
  StoreLedger ledger(store);
  if (is_charged(ledger)) return require_same(given, ledger.terms());
  const LedgerTerms next = new_terms(given, rows);
  const LedgerTerms& now = ledger.terms();
  const bool same = next.filter.kind == now.filter.kind && next.filter.budget.epsilon == now.filter.budget.epsilon &&
                    next.filter.budget.delta == now.filter.budget.delta &&
                    next.filter.rdp_order == now.filter.rdp_order && next.analyst_share == now.analyst_share;
  if (!same) ledger.correct({next.filter, next.analyst_share});
}

}  // namespace
}  // namespace sotto::capi

using namespace sotto;
using namespace sotto::capi;

sotto_status sotto_ledger_create(const sotto_store* store, const char* anchor, const sotto_rows* rows,
                                 const char* options, sotto_error* error) {
  return guarded(error, [&] {
    StoreLedger::create(*store, new_terms(given_terms(options), rows->facts.rows), rows->fingerprint, anchor);
  });
}

sotto_status sotto_ledger_resume(const sotto_store* store, const sotto_rows* rows, const char* options,
                                 sotto_error* error) {
  return guarded(error, [&] { resume(*store, given_terms(options), rows->facts.rows); });
}

sotto_status sotto_ledger_lower(const sotto_store* store, double epsilon, const double* delta, sotto_error* error) {
  return guarded(error,
                 [&] { StoreLedger(*store).lower(epsilon, delta != nullptr ? std::optional(*delta) : std::nullopt); });
}

sotto_status sotto_ledger_rebind(const sotto_store* store, const char* anchor, const sotto_rows* rows,
                                 sotto_error* error) {
  return guarded(error, [&] { StoreLedger::rebind(*store, anchor, rows->fingerprint, rows->facts.rows); });
}

sotto_status sotto_ledger_move(const sotto_store* store, const char* anchor, sotto_error* error) {
  return guarded(error, [&] { StoreLedger::move(*store, anchor); });
}

sotto_status sotto_ledger_grant(const sotto_store* store, const char* analyst, double share, sotto_error* error) {
  return guarded(error, [&] { StoreLedger(*store).grant({analyst, millionths_of(share, "share")}); });
}

sotto_status sotto_ledger_public_key(const sotto_store* store, sotto_text* pem, sotto_error* error) {
  return guarded(error, [&] { *pem = copy_text(pem_of(StoreLedger(*store).public_key())); });
}

sotto_status sotto_ledger_verify(const sotto_store* store, sotto_text* report, sotto_error* error) {
  return guarded(error, [&] {
    const LedgerCheck check = StoreLedger(*store).verify();
    *report =
        copy_text(Json{{"records", check.records}, {"models", check.models}, {"anchored", check.anchored}}.dump());
  });
}

sotto_status sotto_budget_words(const char* terms, uint64_t spent_loss, uint64_t spent_delta, sotto_text* words,
                                sotto_error* error) {
  return guarded(error, [&] {
    Filter::State state = changed_terms_from(terms).filter;
    state.spent = {spent_loss, spent_delta};
    Json json = budget_json(Filter::reopen(state));
    // For people: at most four digits, and what still fits does fit.
    for (auto& [key, number] : json["still_fits"].items()) number = Json::parse(down_text(number.get<double>(), 4));
    *words = copy_text(json.dump());
  });
}
