#pragma once
#include <utility>

#include "sotto/methods/plan.h"
#include "sotto/work/work.h"

/// What tests look at inside a plan, and its run.
namespace sotto {

inline const Recipe& recipe_of(const Plan& plan) { return std::get<PermutationWork>(plan.work.way).recipe; }

/// The noise of a method that perturbs the objective.
template <class M>
ObjectiveNoise objective_noise_of(const M& method, const PlanInput& input) {
  const Plan plan = method.plan(input);
  return std::get<ObjectiveNoise>(std::get<MinimiserWork>(plan.work.way).noise);
}

/// What the work of a plan releases. The curator must have been charged.
inline Vector run_plan(const Plan& plan, Engine& engine, Curator& curator) {
  return ::sotto::run(plan.work, Run{engine, curator, [](double) {}}).weights;
}

/// The same, charged.
inline Vector charge_and_run(const Plan& plan, Engine& engine, Curator& curator) {
  for (const Charge& charge : plan.charges) curator.charge(charge);
  return run_plan(plan, engine, curator);
}

}  // namespace sotto
