#include "sotto/methods/lbfgs.h"

#include <algorithm>

#include "sotto/base/error.h"
#include "sotto/optim/minimiser.h"

namespace sotto {

Plan Lbfgs::plan(const PlanInput& input) const {
  input.problem.check();
  const SumBounds smooth(input.problem.loss, input.facts, 0);
  Plan plan;
  plan.method = kName;
  plan.guarantee.relation = input.budget.relation;
  plan.theorem = "none";
  plan.not_private = {"lbfgs training adds no noise"};
  return plan;
}

Vector Lbfgs::run(const Run& run) const {
  const Facts facts = run.engine.facts();
  const double rows = static_cast<double>(facts.rows);
  const PerturbedSum sum{run.input.problem.loss, rows * run.input.problem.lambda, {}};
  // Nothing rests on a certificate here, and with next to no lambda gradient steps would take days.
  MinimiserOptions options{.tolerance = 1e-9 * rows, .sure = false};
  if (sum.curvature > 0) {
    options.tolerance = std::max(options.tolerance, SumBounds(sum.loss, facts, sum.curvature).reachable(0));
  }
  return run.curator.release_unprotected(minimise(run.engine, sum, options));
}

}  // namespace sotto
