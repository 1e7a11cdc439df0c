#include "sotto/methods/noiseless.h"

namespace sotto {

Plan Noiseless::plan(const PlanInput& input) const {
  Plan plan;
  plan.method = kName;
  plan.recipe = make_recipe(sgd, input.problem, input.facts);
  plan.order = sgd.order;
  plan.guarantee.relation = input.budget.relation;
  plan.theorem = "none";
  plan.not_private = {"noiseless training adds no noise"};
  return plan;
}

}  // namespace sotto
