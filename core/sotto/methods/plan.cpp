#include "sotto/methods/plan.h"

#include "sotto/base/error.h"

namespace sotto {

Plan plan_for(const PlanInput& input) {
  Plan plan;
  plan.guarantee.relation = input.budget.relation;
  plan.work.rows = {input.facts, input.facts.rows, input.facts.rows};
  if (input.budget.relation == Relation::add_remove) plan.work.rows.facts.rows = 0;
  return plan;
}

PlannedCost planned_cost(const Statement& plan) {
  PlannedCost cost{plan.charges, plan.guarantee.epsilon, plan.guarantee.delta, 0};
  if (plan.distance) {
    cost.distance = *plan.distance;
    return cost;
  }
  const bool only = plan.noise && plan.charges.size() == 1;
  // A numerical delta without its distance is a plan that forgot to say it.
  if (!only || (plan.noise->delta_num > 0 && !(plan.noise->distance > 0))) {
    throw Error(ErrorKind::unsupported,
                "ledger: " + plan.method + " does not say how far its noise is from the ideal law", "ledger");
  }
  cost.distance = plan.noise->distance;
  return cost;
}

}  // namespace sotto
