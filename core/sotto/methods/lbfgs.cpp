#include "sotto/methods/lbfgs.h"

#include <algorithm>

#include "sotto/base/error.h"
#include "sotto/optim/perturbed_sum.h"

namespace sotto {

Plan Lbfgs::plan(const PlanInput& input) const {
  input.problem.check();
  const SumBounds smooth(input.problem.loss, input.facts, 0);
  Plan plan = start_plan(*this, input);
  plan.theorem = "none";
  plan.not_private = {"lbfgs training adds no noise"};
  const double rows = static_cast<double>(input.facts.rows), curvature = rows * input.problem.lambda;
  // Nothing rests on a certificate here, and with next to no lambda gradient steps would take days.
  MinimiserOptions options{.tolerance = 1e-9 * rows, .sure = false};
  if (curvature > 0) {
    options.tolerance = std::max(options.tolerance, SumBounds(input.problem.loss, input.facts, curvature).reachable(0));
  }
  plan.work.way = MinimiserWork{input.problem.loss, curvature, options, {}};
  return plan;
}

}  // namespace sotto
