// What: the plan of bolt-on private SGD: sensitivity of the released weights, one release.
// Formula: Delta from optim/sensitivity (spec 3.2) with D of the loss; noise by spec 4.1 or 4.2.
// Conditions: replace_one; convex smooth loss; each row once a pass; order independent of values (spec 1.3, 3.7).
// Reference: [Wu17, Algorithms 1, 2, Theorems 4 to 7], corrected as in docs/notes/sensitivity.md.
// Fails if wrong: NeighbourTest.*, BoltOn.* (closed forms, contract value 0.02), Game.BoltOn.
#include "sotto/methods/bolt_on.h"

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/stop.h"
#include "sotto/optim/row_gradients.h"
#include "sotto/optim/sensitivity.h"

namespace sotto {
namespace {

constexpr const char* kWhyPublished =
    "the published calibration divides the sensitivity by the batch size, which is false for strongly convex losses "
    "and can understate the noise many times over";

void refuse_add_remove(const Budget& budget) {
  if (budget.relation == Relation::replace_one) return;
  throw Error(ErrorKind::unsupported,
              "relation: bolt_on holds under replace_one only: removing a row moves every later row to another batch",
              "relation");
}

/// The formulas of Wu17's corollaries as published, for one row a batch: one for each schedule, with and without lambda.
/// A schedule without an overload here does not compile; one without a formula refuses.
struct Published {
  double rows, passes, lambda;
  double lipschitz, beta;
  double first_step;

  double operator()(const DefaultStep&) const { return lambda > 0 ? inverse() : constant(); }
  double operator()(const ConstantStep&) const {
    if (lambda == 0) return constant();
    return 2 * lipschitz * first_step / -std::expm1(rows * std::log1p(-first_step * lambda));
  }
  double operator()(const CappedInverseStep&) const {
    require_formula(lambda > 0);
    return inverse();
  }
  double operator()(const DecreasingStep& step) const {
    require_formula(lambda == 0);
    return 4 * lipschitz / beta * (std::pow(rows, -step.step_power) + std::log(passes) / rows);
  }
  double operator()(const SquareRootStep& step) const {
    require_formula(lambda == 0);
    double sum = 0;
    for (std::uint32_t j = 0; j < passes; ++j) {
      if (j % 16384 == 0) check_stop();
      sum += 1 / (std::sqrt(j * rows + 1) + std::pow(rows, step.step_power));
    }
    return 4 * lipschitz / beta * sum;
  }
  double operator()(const InverseSqrtStep&) const { return without_formula(); }
  double operator()(const InverseStep&) const { return without_formula(); }

 private:
  static void require_formula(bool known) {
    require(known, "calibration", "published has no formula for this step schedule and lambda");
  }
  static double without_formula() {
    require_formula(false);
    return 0;
  }
  double constant() const { return 2 * passes * lipschitz * first_step; }
  double inverse() const { return 2 * lipschitz / (lambda * rows); }
};

}  // namespace

double published_sensitivity(const SgdOptions& options, const PlanInput& input) {
  require(outputs_of(input.problem.loss, input.facts.classes) == 1, "calibration",
          "published has a formula for two classes and a loss of the margin only");
  // L = 1 + lambda R with R = 1/lambda unless a radius is given, as in Wu17's experiments.
  const double lambda = input.problem.lambda;
  const double radius = options.radius > 0 ? options.radius : (lambda > 0 ? 1 / lambda : 0);
  const Published published{.rows = static_cast<double>(input.facts.rows),
                            .passes = static_cast<double>(options.passes),
                            .lambda = lambda,
                            .lipschitz = input.facts.data_norm + lambda * radius,
                            .beta = constants_of(input.problem.loss, input.facts.data_norm).smoothness,
                            .first_step = make_recipe(options, input.problem, input.facts).step(1)};
  return std::visit(published, options.step) / static_cast<double>(options.batch_rows);
}

Plan BoltOn::plan(const PlanInput& input) const {
  refuse_add_remove(input.budget);
  Plan plan = start_plan(*this, input);
  PermutationWork work{make_recipe(sgd, input.problem, input.facts), sgd.order, {}, {}};
  plan.parameters.emplace_back("step_rule", describe(work.recipe.step));
  plan.noise_at = NoiseAt::release;
  const LossConstants constants = constants_of(input.problem.loss, stored_norm(input.facts), input.facts.classes);
  work.recipe.precision = needed_precision(work.recipe, input.facts, constants.diameter_replace_one);
  const Sensitivity bound = l2_sensitivity(work.recipe, input.facts, constants.diameter_replace_one);
  plan.l2_sensitivity = bound.total;
  plan.theorem = "spec 3.2 and 4.1/4.2; [Wu17, Algorithms 1 and 2] corrected";
  add_rounding_remarks(bound, work.recipe.precision, plan.remarks);
  if (calibration == Calibration::published) {
    plan.l2_sensitivity = published_sensitivity(sgd, input);
    plan.theorem = "[Wu17, section 3.2.3] as published; does not hold";
    plan.not_private.emplace_back(kWhyPublished);
  }
  const Calibrated noise =
      calibrate(mechanism, {plan.l2_sensitivity, weight_count(input.problem.loss, input.facts), 1, 1}, input.budget);
  plan.noise = noise;
  if (calibration == Calibration::corrected) {
    plan.weighted_share = (bound.total - bound.rounding) / base_of(plan.noise->mechanism).grid.sensitivity;
  }
  plan.charges = {noise.charge()};
  plan.guarantee = {plan.noise->epsilon, plan.noise->delta, input.budget.relation, "one row", "final weights"};
  work.on_release = plan.noise->mechanism;
  plan.work.way = std::move(work);
  return plan;
}

}  // namespace sotto
