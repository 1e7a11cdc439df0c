// What: objective perturbation as published by Chaudhuri, Monteleoni and Sarwate.
// Formula: e' = e - 2 ln(1 + beta/kappa), v with density proportional to exp(-e'|v|/(2L)); where e' <= 0 the curvature
//   is raised to beta/(exp(e/4) - 1) and e' = e/2.
// Conditions: replace_one, pure; a loss with two derivatives: logistic alone. The theorem is for the exact minimiser: a
//   certified one is released with a share of 1 percent of epsilon.
// Reference: [Chaudhuri11, Algorithm 2, Theorem 9]. It charges the Jacobian twice; spec 7.7 shows once is enough, so
//   that the event is cheaper than the guarantee stated here.
// Fails if wrong: Baselines.Cms11*
#include "sotto/methods/cms11.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"

namespace sotto {
namespace {

constexpr double kReleaseShare = 0.01;

void refuse_beyond_theorem(const PlanInput& input) {
  if (!has_two_derivatives(input.problem.loss) || input.facts.classes > 2) {
    const auto has = [](auto tag) { return has_two_derivatives(typename decltype(tag)::type{}); };
    throw Error(ErrorKind::unsupported,
                "loss: cms11 needs a loss with two derivatives and two classes: " + loss_names(has), "loss");
  }
  if (input.budget.delta > 0) {
    throw Error(ErrorKind::unsupported, "delta: cms11 is pure; set 0, or use objective", "delta");
  }
  if (input.budget.relation != Relation::replace_one) {
    throw Error(ErrorKind::unsupported, "relation: cms11 is stated for replace_one", "relation");
  }
}

ObjectiveNoise noise_of(const PlanInput& input) {
  refuse_beyond_theorem(input);
  const CertifiedSum sum = certified_sum(Cms11::kName, input, 0);
  const double epsilon = objective_epsilon(objective_shape(input, sum.curvature), input.budget) * (1 - kReleaseShare);
  const double beta = constants_of(input.problem.loss, stored_norm(input.facts)).smoothness;
  double curvature = sum.curvature;
  double strength = epsilon - 2 * std::log1p(beta / curvature);
  if (!(strength > 0)) {
    curvature = std::max(curvature, beta / std::expm1(epsilon / 4));
    strength = epsilon / 2;
  }
  const ObjectiveShape shape = objective_shape(input, curvature);
  const ObjectiveNoise published =
      objective_noise(shape, input.budget, strength, epsilon / (1 - kReleaseShare) * kReleaseShare * (1 - 1e-12));
  return with_certificate(published, input, sum, 0);
}

}  // namespace

Plan Cms11::plan(const PlanInput& input) const {
  Plan plan = start_plan(*this, input);
  plan_objective(plan, "[Chaudhuri11, Theorem 9]; certified minimiser by spec 3.5", noise_of(input), input);
  plan.remarks.emplace_back(
      "repaired: as published the exact minimiser is released; here a certified one, with 1 percent of epsilon for it");
  return plan;
}

}  // namespace sotto
