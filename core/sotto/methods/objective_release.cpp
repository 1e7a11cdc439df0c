// What: the corners, the Jacobian and the tolerance of objective perturbation.
// Formula: binary: c = ln(1 + beta/kappa); replace_one: one difference of norm 2L, two of norm L; add_remove: one of L.
//   Softmax: c = (K-1) ln(1 + X^2/(K kappa)); replace_one: (K-1)^2 of norm 2 sqrt2 X, 2(K-1) of sqrt2 X; add_remove:
//   K-1 of sqrt2 X. tau: the noise of the release is 0.3 percent of the noise of the objective in its effect on the
//   risk.
// Conditions: unconstrained, every coordinate regularised; phi convex, its derivative Lipschitz and of one sign.
// Reference: spec 7.7; docs/notes/objective.md.
// Fails if wrong: ObjectivePlans.*, ObjectiveLoss.*
#include "sotto/methods/objective_release.h"

#include <fmt/format.h>

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/optim/perturbed_sum.h"
#include "sotto/optim/row_gradients.h"

namespace sotto {
namespace {

constexpr double kUp = 1 + 0x1p-50;
constexpr double kFree = 0.003;

/// The trace of one row's Hessian is at most this.
double row_trace(const PlanInput& input) {
  return row_curvature(input.problem.loss, stored_norm(input.facts), input.facts.classes).trace;
}

void refuse_without_proof(const PlanInput& input, const LossConstants& constants) {
  if (is_margin_loss(input.problem.loss) && input.facts.classes > 2) {
    throw Error(ErrorKind::unsupported,
                "loss: objective perturbation has no formula for joint models of one class against the rest; use " +
                    loss_names([](auto tag) { return ClassLoss<typename decltype(tag)::type>; }),
                "loss");
  }
  if (!constants.smooth()) {
    throw Error(ErrorKind::unsupported,
                "loss: objective perturbation needs a loss whose derivative is Lipschitz; use " + smooth_loss_names(),
                "loss");
  }
}

}  // namespace

ObjectiveShape objective_shape(const PlanInput& input, double curvature) {
  const double norm = stored_norm(input.facts);
  const LossConstants constants = constants_of(input.problem.loss, norm, input.facts.classes);
  refuse_without_proof(input, constants);
  const RowCurvature row = row_curvature(input.problem.loss, norm, input.facts.classes);
  const double others = row.corners;
  ObjectiveShape shape;
  shape.log_determinant = others * std::log1p(row.mean / curvature * kUp) * kUp;
  shape.curvature = curvature;
  shape.dimension = weight_count(input.problem.loss, input.facts);
  if (input.budget.relation == Relation::replace_one) {
    shape.corners = {{2 * constants.lipschitz, others * others}, {constants.lipschitz, 2 * others}};
  } else {
    shape.corners = {{constants.lipschitz, others}};
  }
  return shape;
}

ObjectiveNoise with_certificate(const ObjectiveNoise& noise, const PlanInput& input, const CertifiedSum& sum,
                                double asked_tolerance) {
  const ObjectiveShape& shape = noise.shape;
  const double spread = sum.rows * row_trace(input) / (static_cast<double>(shape.dimension) * shape.curvature);
  const double wanted = kFree * shape.corners.front().norm / 2 * noise.release_share() / (1 + spread);
  const SumBounds bounds(input.problem.loss, sum.bound, shape.curvature);
  const double reachable = (bounds.reachable(noise.norm_bound()) + noise.rounding()) * kUp;
  return with_tolerance(noise, choose_tolerance(asked_tolerance, wanted, reachable, shape.corners.front().norm));
}

void plan_objective(Plan& plan, std::string theorem, const ObjectiveNoise& noise, const PlanInput& input) {
  plan.theorem = std::move(theorem);
  plan.noise_at = NoiseAt::objective;
  plan.l2_sensitivity = noise.shape.corners.front().norm;
  plan.noise = PlannedNoise{noise.on_objective, noise.epsilon, noise.delta(), noise.delta_num(), noise.distance()};
  plan.charges = {Charge{noise.event()}};
  plan.guarantee = {noise.epsilon, plan.noise->delta, input.budget.relation, "one row", "final weights"};
  const double stddev = std::visit([](const auto& m) { return m.stddev(); }, noise.on_release);
  plan.remarks.push_back(fmt::format(
      "the minimiser is certified to a gradient of norm {:.3g} of the sum and released with noise of standard "
      "deviation {:.3g} a coordinate",
      noise.tolerance, stddev));
  if (noise.epsilon < input.budget.epsilon) {
    plan.remarks.push_back("the guarantee is stated at epsilon " + number_text(noise.epsilon) +
                           ", below the budget: at a larger one the numerical delta would not fit");
  }
  plan.work.way = MinimiserWork{
      input.problem.loss, noise.shape.curvature, {.tolerance = noise.tolerance - noise.rounding()}, noise};
}

}  // namespace sotto
