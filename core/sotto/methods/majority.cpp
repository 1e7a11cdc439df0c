// What: class counts with noise, and the constant model they stand for.
// Formula: a row replaced moves two counts by 1, L2 sensitivity sqrt 2; a row added or removed one count: 1. Counts are
//   whole numbers and exact. Weight of the last feature: ln(n_k + 1), n_k = max(0, noisy count); for one output the
//   difference of two.
// Conditions: the last feature is positive in every row, as an intercept is.
// Reference: [Dwork06, Example 1].
// Fails if wrong: Majority.*, Game.Majority*
#include "sotto/methods/majority.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/optim/row_counts.h"
#include "sotto/optim/row_gradients.h"

namespace sotto {

Plan Majority::plan(const PlanInput& input) const {
  input.problem.check();
  require(input.facts.features > 0, "features", "must be above 0");
  Plan plan;
  plan.method = kName;
  plan.noise_at = NoiseAt::each_scan;
  const bool replaced = input.budget.relation == Relation::replace_one;
  plan.l2_sensitivity = replaced ? 1.4142135623730952 : 1;  // sqrt 2, rounded up
  const Calibrated noise = calibrate(mechanism, {plan.l2_sensitivity, input.facts.classes, 1, 1}, input.budget);
  plan.noise = noise;
  plan.charges = {noise.charge()};
  plan.guarantee = {plan.noise->epsilon, plan.noise->delta, input.budget.relation, "one row", "class counts"};
  plan.theorem = "spec 4.1/4.2 on class counts";
  plan.remarks.emplace_back("predicts through the last feature, which must be an intercept");
  return plan;
}

Vector Majority::run(const Run& run) const {
  const Facts& facts = run.input.facts;
  const Plan plan = this->plan(run.input);
  ClassCounts counts(facts);
  sum_rows(run.engine, counts);
  Vector noisy = run.curator.release(counts.take(), plan.noise->mechanism);
  for (double& count : noisy) count = std::log1p(std::max(0.0, count));
  Vector weights(weight_count(run.input.problem.loss, facts), 0.0);
  const std::size_t outputs = weights.size() / facts.features;
  for (std::size_t k = 0; k < outputs; ++k) {
    weights[(k + 1) * facts.features - 1] = outputs == 1 ? noisy[1] - noisy[0] : noisy[k];
  }
  return weights;
}

}  // namespace sotto
