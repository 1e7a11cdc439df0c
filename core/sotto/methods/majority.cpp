// What: class counts with noise, and the constant model they stand for.
// Formula: a row replaced moves two counts by 1, L2 sensitivity sqrt 2; a row added or removed one count: 1. Counts are
//   whole numbers and exact. Weight of the last feature: ln(n_k + 1), n_k = max(0, noisy count); for one output the
//   difference of two.
// Conditions: the last feature is positive in every row, as an intercept is.
// Reference: [Dwork06, Example 1].
// Fails if wrong: Majority.*, Game.Majority*
#include "sotto/methods/majority.h"

#include "sotto/base/error.h"
#include "sotto/methods/row_count.h"

namespace sotto {

Plan Majority::plan(const PlanInput& input) const {
  input.problem.check();
  require(input.facts.features > 0, "features", "must be above 0");
  Plan plan = start_plan(*this, input);
  plan.noise_at = NoiseAt::each_scan;
  const bool replaced = input.budget.relation == Relation::replace_one;
  plan.l2_sensitivity = replaced ? 1.4142135623730952 : 1;  // sqrt 2, rounded up
  const Calibrated noise = calibrate(mechanism, {plan.l2_sensitivity, input.facts.classes, 1, 1}, input.budget);
  plan.noise = noise;
  plan.charges = {noise.charge()};
  plan.guarantee = {plan.noise->epsilon, plan.noise->delta, input.budget.relation, "one row", "class counts"};
  plan.theorem = "spec 4.1/4.2 on class counts";
  plan.remarks.emplace_back("predicts through the last feature, which must be an intercept");
  // Counts of so many rows are exact, so that their number need not be known.
  if (!replaced) cover_rows(plan, std::uint64_t{1} << 52);
  plan.work.way = CountsWork{input.problem.loss, plan.noise->mechanism};
  return plan;
}

}  // namespace sotto
