// What: the plan of noisy gradient descent, full scans or cyclic batches, by composition or hidden state.
// Formula: spec 7.5; the numbers are those of dpgd_shape.
// Conditions: hidden state: lambda > 0, constant contracting step, no momentum, no average, only the last weights leave.
// Reference: [Dong22, Corollary 3.3]; [Bok24].
// Fails if wrong: Dpgd.*, Game.Dpgd*, Methods.*
#include "sotto/methods/dpgd.h"

#include "sotto/base/fields.h"
#include "sotto/base/rounded_text.h"
#include "sotto/methods/dpgd_shape.h"
#include "sotto/methods/row_count.h"

namespace sotto {

Plan Dpgd::plan(const PlanInput& input) const {
  const DescentShape shape = dpgd_shape(*this, input);
  const std::optional<HiddenPlan> hidden = dpgd_chosen(*this, shape, input);
  Plan plan = start_plan(*this, input);
  if (hidden) {
    plan.noise = hidden->noise.planned;
    plan.charges = {hidden->noise.charge()};
  } else {
    const Calibrated sums = dpgd_composition(*this, shape, input);
    plan.noise = sums;
    plan.charges = {sums.charge()};
  }
  plan.noise_at = hidden ? NoiseAt::each_step : shape.batches == 1 ? NoiseAt::each_scan : NoiseAt::each_batch;
  plan.weighted_share = hidden ? hidden->hit / base_of(plan.noise->mechanism).grid.sensitivity
                               : dpgd_weighted_share(*plan.noise, shape, input);
  plan.l2_sensitivity = base_of(plan.noise->mechanism).sensitivity;
  plan.guarantee = {plan.noise->epsilon, plan.noise->delta, input.budget.relation, "one row",
                    hidden ? "final weights" : "all iterates"};
  plan.remarks.push_back(std::to_string(shape.passes) + (shape.passes == 1 ? " pass of " : " passes of ") +
                         counted_text(shape.batches, "step") + " of size " + number_text(shape.step_size));
  if (hidden) {
    plan.theorem = "spec 7.5, hidden state; [Bok24]";
    plan.remarks.push_back("hidden-state bound: steps contract by " + number_text(hidden->contraction) +
                           "; l2_sensitivity is that of the whole run, weights are kept within radius " +
                           number_text(hidden->step.projection.radius));
  } else {
    plan.theorem = "spec 7.5, composition of every noised sum; [Dong22, Corollary 3.3]";
    if (is_gentler_at_small_weights(input.problem.loss)) {
      plan.remarks.emplace_back(
          "the noise named here is the largest; a sum at small weights, which are public, has a smaller sensitivity "
          "and "
          "less noise at the same cost");
    }
  }
  state_capacity(plan, input, shape.capacity);
  if (hidden) {
    plan.work.way = HiddenDescentWork{shape, input.problem.loss, hidden->step, hidden->noise.law()};
  } else {
    plan.work.way = DescentWork{shape,
                                {plan.noise->mechanism, input.problem.loss, shape.clip, input.budget.relation},
                                {input.problem.lambda, momentum, radius},
                                averaging};
  }
  return plan;
}

}  // namespace sotto
