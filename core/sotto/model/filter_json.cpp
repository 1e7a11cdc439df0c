#include "sotto/model/filter_json.h"

#include "sotto/base/fields.h"
#include "sotto/privacy/ledger/budget_words.h"
#include "sotto/privacy/ledger/price.h"

namespace sotto {
namespace {

/// The delta a request is asked about when nobody names one: the budget's, or under `sum` what is left of it.
double usual_delta(const Filter& filter) {
  return filter.kind() == FilterKind::sum ? filter.remaining_delta() : filter.budget().delta;
}

}  // namespace

Json to_json(const Filter::Cost& cost) {
  return Json{{"loss", Filter::text_of({cost.loss, 0})},
              {"delta", cost.delta_number()},
              {"loss_units", cost.loss},
              {"delta_units", cost.delta}};
}

Json would_fit_json(const Filter& filter) {
  Json fits = Json::array();
  for (const Filter::Fit& fit : what_fits(filter)) {
    fits.push_back(Json{{"event", fit.event}, {"parameter", fit.parameter}, {"largest", fit.largest}});
  }
  const double delta = usual_delta(filter);
  fits.push_back(Json{
      {"event", "request"}, {"parameter", "epsilon"}, {"largest", largest_epsilon(filter, delta)}, {"delta", delta}});
  return fits;
}

Json budget_json(const Filter& filter) {
  const BudgetUse use = budget_use(filter);
  return Json{
      {"words", budget_words(filter)},           {"epsilon", filter.budget().epsilon},
      {"delta", filter.budget().delta},          {"percent_used", use.percent_used},
      {"percent_left", use.percent_left},        {"still_fits", Json{{"epsilon", use.epsilon}, {"delta", use.delta}}},
      {"filter", enum_name(filter.kind())},      {"currency", filter.currency()},
      {"currency_words", currency_words(filter)}};
}

Json filters_json(const Budget& budget) {
  Json list = Json::array();
  for (const auto& [name, kind] : enum_names(FilterKind{})) {
    if (kind != FilterKind::sum && budget.delta == 0) continue;
    list.push_back(
        Json{{"filter", name}, {"models", models_of_a_tenth(kind, budget)}, {"words", filter_words(kind, budget)}});
  }
  return list;
}

}  // namespace sotto
