// What: objective perturbation: argmin sum l0 + (kappa/2)|w|^2 + v.w, certified, plus a little noise.
// Formula: kappa = m lambda; noise by privacy/objective_noise, corners and Jacobian by objective_release.
// Conditions: lambda > 0, epsilon above the Jacobian's share, logistic, huber_svm or softmax; both relations.
// Reference: spec 7.7; [Chaudhuri11], [Kifer12], [Redberg23] for looser forms.
// Fails if wrong: ObjectivePlans.* (values of an independent computation), ObjectiveLoss.*, ObjectiveGame.*
#include "sotto/methods/objective.h"

#include "sotto/methods/interval_release.h"
#include "sotto/methods/row_count.h"

namespace sotto {

ObjectiveNoise Objective::noise(const PlanInput& input) const {
  const CertifiedSum sum = certified_sum(kName, input, declared_rows);
  const ObjectiveNoise calibrated =
      calibrate_objective(objective_shape(input, sum.curvature), without_share(input, intervals).budget);
  return with_certificate(calibrated, input, sum, tolerance);
}

Plan Objective::plan(const PlanInput& input) const {
  const ObjectiveNoise planned = noise(input);
  Plan plan = objective_plan(kName, "spec 7.7; docs/notes/objective.md", planned, without_share(input, intervals));
  state_capacity(plan, input, certified_sum(kName, input, declared_rows).bound.rows);
  if (intervals > 0) {
    IntervalPlan main;
    main.share = intervals;
    main.objective_stddev = std::visit([](const auto& m) { return m.stddev(); }, planned.on_objective);
    main.release_stddev = std::visit([](const auto& m) { return m.stddev(); }, planned.on_release);
    main.laplace = std::holds_alternative<L2LaplaceNoise>(planned.on_objective);
    add_intervals(plan, input, certified_sum(kName, input, declared_rows), main);
  }
  return plan;
}

Vector Objective::run(const Run& run) const {
  return release_objective(run, noise(run.input), certified_sum(kName, run.input, declared_rows));
}

}  // namespace sotto
