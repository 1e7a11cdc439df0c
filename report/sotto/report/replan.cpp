#include "sotto/report/replan.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"

namespace sotto::report {
namespace {

constexpr double kMargin = 1e-7;  // by which calibration may fall short of the delta it was given
constexpr double kTolerance = 1e-5;

/// The parameters of a card by their one spelling; false if one of them has no place.
bool set_parameters(Problem& problem, Method& method, const PrivacyCard& card) {
  return std::all_of(card.parameters.begin(), card.parameters.end(), [&](const auto& parameter) {
    const std::string &name = parameter.first, &value = parameter.second;
    if (name == "solver" || name == "step_rule" || value.empty()) return true;  // said in words, or not set
    if (name == "noise_path" && value == "safe") return true;                   // the only one there is now
    const bool in_problem = set_field(problem, name, value);
    const bool in_method = std::visit([&](auto& a) { return set_field(a, name, value); }, method);
    return in_problem || in_method;
  });
}

std::string method_of(const PrivacyCard& card) {
  for (const auto& [name, value] : card.parameters) {
    if (name == "solver") return value;
  }
  return card.method;
}

bool close(double a, double b) { return std::fabs(a - b) <= kTolerance * std::max(std::fabs(a), std::fabs(b)); }

bool same_events(const PrivacyCard& a, const PrivacyCard& b) {
  return std::equal(a.events.begin(), a.events.end(), b.events.begin(), b.events.end(),
                    [](const auto& x, const auto& y) {
                      return x.event == y.event && close(x.value, y.value) && x.times == y.times && x.parts == y.parts;
                    });
}

/// Whether the plan's card promises what the model's does by the same noise, and not by more of it.
bool same_promise(const PrivacyCard& plan, const PrivacyCard& card) {
  return close(plan.epsilon, card.epsilon) && close(plan.delta, card.delta) && plan.relation == card.relation &&
         plan.released == card.released && close(plan.l2_sensitivity, card.l2_sensitivity) &&
         plan.noise.mechanism == card.noise.mechanism && plan.noise.added_to == card.noise.added_to &&
         close(plan.noise.scale, card.noise.scale) && plan.noise.scale <= card.noise.scale && same_events(plan, card);
}

std::optional<Plan> plan_or_nothing(const Method& method, const PlanInput& input) {
  try {
    return make_plan(method, input);
  } catch (const Error&) {
    return {};  // refused: a plan that cannot be
  }
}

}  // namespace

std::optional<Replanned> replan(const PrivacyCard& card) {
  if (!card.personal.empty() || !(card.epsilon > 0)) return {};
  Replanned known;
  try {
    known.method = make_by_name<Method>(method_of(card), "method");
    known.input.budget.relation = enum_by_name<Relation>(card.relation, "relation");
    if (!set_parameters(known.input.problem, known.method, card)) return {};
  } catch (const Error&) {
    return {};  // written by another version
  }
  known.input.facts = {card.rows, card.features, card.data_norm, false, card.classes};
  known.input.budget.epsilon = card.epsilon;
  // A card has the delta that was reached: a little less than the budget's, or that of the numerics alone for 0.
  for (const double delta : {card.delta * (1 + kMargin), card.delta, 0.0}) {
    for (const bool sparse : {false, true}) {
      known.input.budget.delta = delta;
      known.input.facts.sparse = sparse;
      const std::optional<Plan> plan = plan_or_nothing(known.method, known.input);
      if (!plan || !same_promise(make_card(*plan), card)) continue;
      known.plan = *plan;
      return known;
    }
  }
  return {};
}

std::optional<Plan> plan_at(const Replanned& known, double epsilon) {
  PlanInput input = known.input;
  input.budget.epsilon = epsilon;
  return plan_or_nothing(known.method, input);
}

}  // namespace sotto::report
