// What: output perturbation: noise on the certified minimiser of the regularised sum.
// Formula: Delta = (D + 2 tau)/(m lambda), tau the certified bound on the gradient of the sum.
// Conditions: lambda > 0, both relations, smooth loss: the certificate needs a gradient, so that hinge is minimised as
//   huber_svm of half-width h, which has its D. 0 <= huber_svm - hinge <= h/4, so that its minimum is at most K h/4
//   above the least mean hinge loss of K outputs and at most sqrt(K h/(4 lambda)) away.
// Reference: [Chaudhuri11, Algorithm 1, Corollary 8]; spec 3.5, 7.8.
// Fails if wrong: OutputNeighbours.* (distance of minimisers, tight pair), OutputOfHinge.*, Replay.*
#include "sotto/methods/output.h"

#include <fmt/format.h>

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/methods/interval_release.h"
#include "sotto/methods/row_count.h"
#include "sotto/optim/perturbed_sum.h"
#include "sotto/optim/row_gradients.h"

namespace sotto {
namespace {

constexpr double kFree = 1e-4;
constexpr double kHingeWidth = 0.004;  // its minimum is within 0.001 of the least objective, and still found quickly

double diameter(const PlanInput& input) {
  const LossConstants constants = constants_of(input.problem.loss, stored_norm(input.facts), input.facts.classes);
  return input.budget.relation == Relation::replace_one ? constants.diameter_replace_one
                                                        : constants.diameter_add_remove;
}

/// The problem that was asked for; where its loss is not smooth, with the smooth one that stands in for it.
PlanInput smooth_input(const PlanInput& input) {
  PlanInput smooth = input;
  smooth.problem.loss = smoothed(input.problem.loss, kHingeWidth);
  return smooth;
}

std::string smoothing_text(const PlanInput& input, const PlanInput& smooth) {
  const double above = kHingeWidth / 4 * outputs_of(input.problem.loss, input.facts.classes);
  return fmt::format(
      "{0} with huber_width {2} is minimised in place of {1}: at its exact minimum the {1} objective is at most "
      "{3:.3g} above its least{4}, the weights at most {5:.3g} from where it is",
      name_of(smooth.problem.loss), name_of(input.problem.loss), kHingeWidth, above,
      input.budget.relation == Relation::add_remove ? " with the declared number of rows" : "",
      std::sqrt(above / input.problem.lambda));
}

IntervalPlan interval_plan(const Mechanism& noise, double share) {
  if (std::holds_alternative<DiscreteLaplaceNoise>(noise)) {
    throw Error(ErrorKind::unsupported,
                "intervals: have no law for discrete_laplace noise; use l2_laplace, gaussian or discrete_gaussian",
                "intervals");
  }
  IntervalPlan plan;
  plan.share = share;
  plan.release_stddev = std::visit([](const auto& m) { return m.stddev(); }, noise);
  plan.laplace = std::holds_alternative<L2LaplaceNoise>(noise);
  return plan;
}

}  // namespace

Plan Output::plan(const PlanInput& asked) const {
  const PlanInput input = smooth_input(asked);
  const CertifiedSum sum = certified_sum(kName, input, declared_rows);
  const SumBounds bounds(input.problem.loss, sum.bound, sum.curvature);
  const double certified = choose_tolerance(tolerance, kFree * diameter(input), bounds.reachable(0), diameter(input));
  Plan plan = start_plan(*this, input);
  plan.noise_at = NoiseAt::release;
  plan.l2_sensitivity = (diameter(input) + 2 * certified) / sum.curvature * (1 + 0x1p-50);
  const Calibrated noise =
      calibrate(mechanism, {plan.l2_sensitivity, weight_count(input.problem.loss, input.facts), 1, 1},
                without_share(input, intervals).budget);
  plan.noise = noise;
  plan.charges = {noise.charge()};
  plan.guarantee = {plan.noise->epsilon, plan.noise->delta, input.budget.relation, "one row", "final weights"};
  plan.theorem = "spec 7.8; [Chaudhuri11, Corollary 8] with a certified minimiser";
  state_capacity(plan, input, sum.bound.rows);
  if (!constants_of(asked.problem.loss, 1).smooth()) plan.remarks.push_back(smoothing_text(asked, input));
  plan.remarks.push_back(fmt::format("the minimiser is certified to a gradient of norm {:.3g} of the sum", certified));
  if (intervals > 0) add_intervals(plan, input, sum, interval_plan(plan.noise->mechanism, intervals));
  plan.work.way = MinimiserWork{input.problem.loss, sum.curvature, {.tolerance = certified}, plan.noise->mechanism};
  return plan;
}

}  // namespace sotto
