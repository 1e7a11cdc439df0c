// What: the plan of SCS13: noise on the sum of data gradients of every batch.
// Formula: one batch sum has sensitivity D (one row replaced, the regulariser outside); batches of a pass are disjoint
//   and compose in parallel, k passes in sequence: epsilon/k each (pure), or mu = sqrt(k) D / sigma (Gaussian).
// Conditions: replace_one; each row once a pass; division by the nominal batch after the noise (spec 7.2).
// Reference: [Song13, Theorem 1]; [Dong22] for the Gaussian passes.
// Fails if wrong: Scs13.* (scale per pass), NeighbourTest.BatchSums, Game.Scs13.
#include "sotto/methods/scs13.h"

#include <algorithm>

#include "sotto/base/error.h"
#include "sotto/optim/row_gradients.h"

namespace sotto {
namespace {

/// The computed batch sum differs from the sum of the computed gradients by at most this, for b products of slope and
/// row and b additions. Weights are public here: rows that are in both runs have the same computed gradient in both,
/// and a computed slope is steeper than the loss allows by a few u at most, which this covers.
double sum_rounding(const Recipe& recipe, const Facts& facts, double lipschitz) {
  const double rows = static_cast<double>(std::min(recipe.batch_rows, facts.rows));
  return 4 * 0x1p-53 * rounding_terms(recipe.loss, facts, recipe.batch_rows) * rows * lipschitz;
}

}  // namespace

Plan Scs13::plan(const PlanInput& input) const {
  if (input.budget.relation != Relation::replace_one) {
    throw Error(ErrorKind::unsupported,
                "relation: scs13 holds under replace_one only: removing a row moves every later row to another batch",
                "relation");
  }
  Plan plan = start_plan(*this, input);
  PermutationWork work{make_recipe(sgd, input.problem, input.facts), sgd.order, {}, {}};
  plan.parameters.emplace_back("step_rule", describe(work.recipe.step));
  plan.noise_at = NoiseAt::each_batch;
  const LossConstants constants = constants_of(input.problem.loss, stored_norm(input.facts), input.facts.classes);
  plan.l2_sensitivity =
      constants.diameter_replace_one + 2 * sum_rounding(work.recipe, input.facts, constants.lipschitz);
  const ReleaseShape shape{plan.l2_sensitivity, weight_count(input.problem.loss, input.facts), sgd.passes,
                           work.recipe.steps_per_pass(input.facts.rows)};
  const Calibrated noise = calibrate(mechanism, shape, input.budget);
  plan.noise = noise;
  plan.weighted_share = constants.diameter_replace_one / base_of(plan.noise->mechanism).grid.sensitivity;
  plan.charges = {noise.charge()};
  plan.guarantee = {plan.noise->epsilon, plan.noise->delta, input.budget.relation, "one row", "all iterates"};
  plan.theorem = "spec 7.2; [Song13, Theorem 1], passes composed";
  work.on_batches = plan.noise->mechanism;
  plan.work.way = std::move(work);
  return plan;
}

}  // namespace sotto
