// What: objective perturbation with Gaussian noise as published by Kifer, Smith and Thakurta.
// Formula: sigma = zeta sqrt(8 ln(2/delta) + 4 e)/e, curvature at least 2 beta/e; zeta = D, what neighbours' gradients
//   differ by.
// Conditions: delta > 0, replace_one, losses of the margin and two classes. The printed proof treats the gradient's
//   difference as independent of the noise; the guarantee is therefore recomputed by spec 7.7 and refused where it does
//   not hold. Certified minimiser: spec 3.5, with the release share of `objective`.
// Reference: [Kifer12, Algorithm 1, Theorem 2]; [Redberg23] on the proof.
// Fails if wrong: Baselines.Kst12*
#include "sotto/methods/kst12.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"

namespace sotto {
namespace {

constexpr double kReleaseShift = 1.0 / 30;

void refuse_beyond_theorem(const PlanInput& input) {
  if (input.budget.relation != Relation::replace_one) {
    throw Error(ErrorKind::unsupported, "relation: kst12 is offered for replace_one", "relation");
  }
  if (!is_margin_loss(input.problem.loss) || input.facts.classes > 2) {
    throw Error(ErrorKind::unsupported, "loss: kst12 needs a Hessian of rank one: losses of the margin, two classes",
                "loss");
  }
  if (input.budget.delta == 0) {
    throw Error(ErrorKind::unsupported, "delta: kst12 adds Gaussian noise; set delta, or use cms11 or objective",
                "delta");
  }
}

ObjectiveNoise noise_of(const PlanInput& input) {
  refuse_beyond_theorem(input);
  const CertifiedSum sum = certified_sum(Kst12::kName, input, 0);
  const LossConstants constants = constants_of(input.problem.loss, stored_norm(input.facts));
  const Budget& budget = input.budget;
  const double epsilon = objective_epsilon(objective_shape(input, sum.curvature), budget);
  const double curvature = std::max(sum.curvature, 2 * constants.smoothness / epsilon);
  // sigma = D/mu
  const double mu = epsilon / std::sqrt(8 * std::log(2 / budget.delta) + 4 * epsilon);
  const ObjectiveShape shape = objective_shape(input, curvature);
  return with_certificate(objective_noise(shape, budget, mu, mu * kReleaseShift), input, sum, 0);
}

}  // namespace

Plan Kst12::plan(const PlanInput& input) const {
  Plan plan = start_plan(*this, input);
  plan_objective(plan, "noise of [Kifer12, Theorem 2]; guarantee recomputed by spec 7.7", noise_of(input), input);
  plan.remarks.emplace_back(
      "repaired: the noise is the published one, the guarantee that of spec 7.7, and the minimiser is certified");
  return plan;
}

}  // namespace sotto
