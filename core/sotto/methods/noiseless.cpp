#include "sotto/methods/noiseless.h"

namespace sotto {

Plan Noiseless::plan(const PlanInput& input) const {
  Plan plan = start_plan(*this, input);
  PermutationWork work{make_recipe(sgd, input.problem, input.facts), sgd.order, {}, {}};
  plan.parameters.emplace_back("step_rule", describe(work.recipe.step));
  plan.work.way = std::move(work);
  plan.theorem = "none";
  plan.not_private = {"noiseless training adds no noise"};
  return plan;
}

}  // namespace sotto
