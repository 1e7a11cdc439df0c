// What: objective perturbation: argmin sum l0 + (kappa/2)|w|^2 + v.w, certified, plus a little noise.
// Formula: kappa = m lambda; noise by privacy/objective_noise, corners and Jacobian by objective_release.
// Conditions: lambda > 0, epsilon above the Jacobian's share, logistic, huber_svm or softmax; both relations.
// Reference: spec 7.7; [Chaudhuri11], [Kifer12], [Redberg23] for looser forms.
// Fails if wrong: ObjectivePlans.* (values of an independent computation), ObjectiveLoss.*, ObjectiveGame.*
#include "sotto/methods/objective.h"

#include "sotto/methods/interval_release.h"
#include "sotto/methods/row_count.h"

namespace sotto {

Plan Objective::plan(const PlanInput& input) const {
  const CertifiedSum sum = certified_sum(kName, input, declared_rows);
  const PlanInput main = without_share(input, intervals);
  const ObjectiveNoise noise =
      with_certificate(calibrate_objective(objective_shape(input, sum.curvature), main.budget), input, sum, tolerance);
  Plan plan = start_plan(*this, input);
  plan_objective(plan, "spec 7.7; docs/notes/objective.md", noise, main);
  state_capacity(plan, input, sum.bound.rows);
  if (intervals > 0) {
    IntervalPlan with;
    with.share = intervals;
    with.objective_stddev = std::visit([](const auto& m) { return m.stddev(); }, noise.on_objective);
    with.release_stddev = std::visit([](const auto& m) { return m.stddev(); }, noise.on_release);
    with.laplace = std::holds_alternative<L2LaplaceNoise>(noise.on_objective);
    add_intervals(plan, input, sum, with);
  }
  return plan;
}

}  // namespace sotto
