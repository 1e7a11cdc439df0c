// What: SGD on Poisson batches: its plan.
// Formula: a row is in a batch with probability q = b/m; noise N(0, (s C')^2 I) on the sum of clipped gradients,
//   divided by the nominal b; s by PLD, RDP or advanced composition over T = k m/b steps (spec 6.2, 7.4).
// Conditions: coins from the secret stream; empty batches are noised; batch sizes are not reported.
// Reference: [Abadi16, Algorithm 1]; [Zhu22], [Mironov19], [Dwork14, Theorem 3.20].
// Fails if wrong: Dpsgd.*, SampledGaussian.*, PoissonCoins.*, Game.Dpsgd*.
#include "sotto/methods/dpsgd.h"

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/losses/loss.h"
#include "sotto/methods/row_count.h"

namespace sotto {
namespace {

SampledRun shape_of(const Dpsgd& options, const PlanInput& input) {
  require(options.step_size >= 0 && options.step_size <= 1e9, "step_size", "must lie between 0 and 1e9");
  require(options.momentum >= 0 && options.momentum < 1, "momentum", "must be at least 0 and below 1");
  require(options.radius >= 0 && options.radius <= 1e12, "radius", "must lie between 0 and 1e12");
  return sampled_run({options.passes, options.batch_rows, options.clip, options.declared_rows}, input);
}

double step_size_of(const Dpsgd& options, const PlanInput& input) {
  if (options.step_size > 0) return options.step_size;
  const LossConstants constants = constants_of(input.problem.loss, stored_norm(input.facts), input.facts.classes);
  return 1 / ((constants.smooth() ? constants.smoothness : constants.lipschitz) + input.problem.lambda);
}

}  // namespace

Plan Dpsgd::plan(const PlanInput& input) const {
  const SampledRun shape = shape_of(*this, input);
  const SampledCalibrated noise = calibrate_sampled(sampled_shape(shape), input.budget, accounting);
  Plan plan = start_plan(*this, input);
  plan.noise = noise.planned;
  plan.noise_at = NoiseAt::each_batch;
  plan.charges = {noise.charge()};
  plan.l2_sensitivity = noise.law().noise.sensitivity;
  plan.weighted_share = shape.clip / noise.law().noise.grid.sensitivity;
  plan.guarantee = {plan.noise->epsilon, plan.noise->delta, input.budget.relation, "one row", "all iterates"};
  plan.theorem = "spec 6.2 and 7.4, by " + std::string(enum_name(accounting)) +
                 "; [Zhu22], [Mironov19] or [Dwork14, Theorem 3.20]";
  plan.remarks.push_back(std::to_string(shape.steps) + " steps of " + std::to_string(shape.batch_rows) +
                         " rows on average, each row in a step with probability " + number_text(shape.rate) +
                         "; l2_sensitivity is what one row adds to a sum");
  state_capacity(plan, input, shape.capacity);
  plan.work.way = SampledWork{shape,
                              input.problem.loss,
                              noise.law(),
                              {input.problem.lambda, momentum, radius},
                              ConstantPace{step_size_of(*this, input)}};
  return plan;
}

}  // namespace sotto
