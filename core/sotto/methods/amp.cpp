// What: approximate minima perturbation as published by Iyengar et al.
// Formula: 1 percent of epsilon and delta for the release; of the rest e1, 90 percent (e3) for the linear term:
//   sigma = 2L (1 + sqrt(2 ln(1/delta1)))/e3, curvature at least r beta/(e1 - e3), r = 2, beta = max(L^2, smoothness);
//   release: 2 tau/kappa at (1 + sqrt(2 ln(1/delta2)))/e2 (published: tau/kappa, where the two neighbours' minimisers
//   may lie on opposite sides: 2 tau is used).
// Conditions: delta > 0, replace_one, losses of the margin and two classes. The guarantee is recomputed by spec 7.7 and
//   the plan refused where it does not hold.
// Reference: [Iyengar19, Algorithm 1] and the settings of its experiments.
// Fails if wrong: Baselines.Amp*
#include "sotto/methods/amp.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"

namespace sotto {
namespace {

constexpr double kRelease = 0.01;
constexpr double kLinear = 0.9;
constexpr double kRank = 2;

void refuse_beyond_theorem(const PlanInput& input) {
  if (input.budget.relation != Relation::replace_one) {
    throw Error(ErrorKind::unsupported, "relation: amp is stated for replace_one", "relation");
  }
  if (!is_margin_loss(input.problem.loss) || input.facts.classes > 2) {
    throw Error(ErrorKind::unsupported, "loss: amp is offered for losses of the margin and two classes", "loss");
  }
  if (input.budget.delta == 0) {
    throw Error(ErrorKind::unsupported, "delta: amp adds Gaussian noise; set delta, or use cms11 or objective",
                "delta");
  }
}

/// Shift of a Gaussian release by the classical formula of the paper.
double shift_of(double epsilon, double delta) { return epsilon / (1 + std::sqrt(-2 * std::log(delta))); }

ObjectiveNoise noise_of(const PlanInput& input) {
  refuse_beyond_theorem(input);
  const CertifiedSum sum = certified_sum(Amp::kName, input, 0);
  const LossConstants constants = constants_of(input.problem.loss, stored_norm(input.facts));
  const Budget& budget = input.budget;
  const double epsilon = objective_epsilon(objective_shape(input, sum.curvature), budget);
  const double on_objective = epsilon * (1 - kRelease);
  const double beta = std::max(constants.lipschitz * constants.lipschitz, constants.smoothness);
  const double curvature = std::max(sum.curvature, kRank * beta / (on_objective * (1 - kLinear)));
  const ObjectiveShape shape = objective_shape(input, curvature);
  const ObjectiveNoise published =
      objective_noise(shape, budget, shift_of(on_objective * kLinear, budget.delta * (1 - kRelease)),
                      shift_of(epsilon * kRelease, budget.delta * kRelease));
  return with_certificate(published, input, sum, 0);
}

}  // namespace

Plan Amp::plan(const PlanInput& input) const {
  Plan plan = start_plan(*this, input);
  plan_objective(plan, "noise of [Iyengar19, Algorithm 1]; guarantee recomputed by spec 7.7", noise_of(input), input);
  plan.remarks.emplace_back(
      "repaired: the noise and the curvature are the published ones, the guarantee is that of spec 7.7, and the "
      "gradient is certified with its rounding");
  return plan;
}

}  // namespace sotto
