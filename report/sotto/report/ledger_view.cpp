#include "sotto/report/ledger_view.h"

#include <algorithm>
#include <optional>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/base/time_text.h"
#include "sotto/data/schema_json.h"
#include "sotto/model/filter_json.h"
#include "sotto/privacy/accountant/best_guess.h"
#include "sotto/privacy/ledger/budget_words.h"

namespace sotto::report {
namespace {

constexpr std::size_t kMaxOthers = 50;

std::optional<Model> model_in(const std::string& bytes) {
  try {
    return model_from_text(bytes, "the ledger's release");
  } catch (const Error&) {
    return {};  // bounds are releases too
  }
}

std::optional<BoundsCost> bounds_in(const std::string& bytes) {
  try {
    return schema_from_json(bytes).bounds_cost;
  } catch (const Error&) {
    return {};
  }
}

void tell_release(LedgerView::Entry& entry, const std::string& bytes) {
  if (const auto model = model_in(bytes)) {
    entry.asked = method_words(model->card);
    entry.epsilon = model->card.epsilon;
    entry.delta = model->card.delta;
  } else if (const auto bounds = bounds_in(bytes)) {
    entry.asked = "bounds of the data";
    entry.epsilon = bounds->epsilon;
    entry.delta = bounds->delta;
  } else {
    entry.asked = "another release";
  }
}

}  // namespace

std::string method_words(const PrivacyCard& card) {
  for (const auto& [name, value] : card.parameters) {
    if (name == "solver" && value != card.method) return value + ", chosen by " + card.method;
  }
  return card.method;
}

LedgerView view_of(Ledger& ledger) {
  LedgerView view{ledger.terms(), ledger.filter()};
  view.public_key = hex_of(ledger.public_key());
  try {
    view.check = ledger.verify();
  } catch (const Error& error) {
    view.problem = error.what();
  }
  Filter::Cost spent;
  for (const LedgerEntry& from : ledger.entries()) {
    LedgerView::Entry entry{from.number, time_text(from.time), from.state, from.cost, from.event, from.analyst};
    if (from.state == EntryState::released && view.problem.empty()) tell_release(entry, ledger.bytes_of(from));
    if (from.state != EntryState::voided) {
      spent.loss += from.cost.loss;
      spent.delta += from.cost.delta;
      entry.percent = percent_of(view.filter, from.cost);
    }
    entry.percent_after = percent_of(view.filter, spent);
    view.entries.push_back(std::move(entry));
  }
  return view;
}

std::vector<Model> other_models(Ledger& ledger, const std::string& own) {
  std::vector<Model> models;
  for (const LedgerEntry& entry : ledger.entries()) {
    if (models.size() == kMaxOthers) break;
    if (entry.state != EntryState::released) continue;
    const std::string bytes = ledger.bytes_of(entry);
    if (bytes == own) continue;
    if (auto model = model_in(bytes)) models.push_back(std::move(*model));
  }
  return models;
}

Json to_json(const LedgerView& view) {
  const Filter& filter = view.filter;
  Json json{{"ledger", view.terms.id},
            {"guarantee", Json{{"epsilon", filter.budget().epsilon}, {"delta", filter.budget().delta}}},
            {"relation", enum_name(filter.budget().relation)},
            {"best_guess", best_guess(filter.budget().epsilon, filter.budget().delta)},
            {"currency", filter.currency()},
            {"limit", Filter::text_of(filter.limit())},
            {"spent", Filter::text_of(filter.spent())},
            {"remaining", Filter::text_of(filter.remaining())},
            {"budget", budget_json(filter)},
            {"public_key", view.public_key},
            {"verified", view.problem.empty()}};
  if (!view.problem.empty()) json["problem"] = view.problem;
  json["entries"] = Json::array();
  for (const LedgerView::Entry& e : view.entries) {
    json["entries"].push_back(Json{{"entry", e.number},
                                   {"time", e.time},
                                   {"state", enum_name(e.state)},
                                   {"analyst", e.analyst},
                                   {"asked", e.asked},
                                   {"epsilon", e.epsilon},
                                   {"delta", e.delta},
                                   {"percent", e.percent},
                                   {"percent_used_after", e.percent_after},
                                   {"cost", Filter::text_of(e.cost)},
                                   {"event", e.event}});
  }
  return json;
}

}  // namespace sotto::report
