// What: the plan of a private genetic search.
// Formula: rounds of `parents` choices among `population` candidates by error counts, and one last choice, N in all, of
//   epsilon / N each, or of rho / N each (e = sqrt(8 rho / N)). R = 2 (replace_one: one count up, one down), or 1.
// Conditions: candidates depend on rows through choices alone; crossing and mutation read public coins.
// Reference: [Zhang13]; the enhanced exponential mechanism there is replaced by the plain one, which has a proof.
// Fails if wrong: PrivGene.* (replay of every draw)
#include "sotto/methods/priv_gene.h"

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/methods/row_count.h"
#include "sotto/privacy/gaussian.h"

namespace sotto {
namespace {

GeneticWork work_of(const PrivGene& method, const PlanInput& input) {
  input.problem.check();
  input.budget.check();
  require(input.facts.features > 0, "features", "must be above 0");
  require(method.parents >= 2 && method.parents <= method.population, "parents", "must lie between 2 and population");
  require(method.population <= 10000, "population", "must be at most 10000");
  require(method.rounds <= 10000, "rounds", "must be at most 10000");
  require(method.spread > 0 && method.spread <= 1e6, "spread", "must be above 0 and at most 1e6");
  require(method.mutation_decay > 0 && method.mutation_decay <= 1, "mutation_decay", "must lie in (0, 1]");
  const double rows = static_cast<double>(row_count(input, method.declared_rows).nominal);
  GeneticWork work;
  work.loss = input.problem.loss;
  work.population = method.population;
  work.parents = method.parents;
  work.spread = method.spread;
  work.mutation_decay = method.mutation_decay;
  work.coins = method.coins;
  const double published = std::fmax(8, std::fmin(10000, 0.00125 * input.budget.epsilon * rows));
  work.rounds = method.rounds > 0 ? method.rounds : static_cast<std::uint32_t>(published);
  const double draws = static_cast<double>(work.rounds) * method.parents + 1;
  constexpr double kDown = 1 - 1e-9;  // the part kept back covers the rounding of sums of these draws
  if (input.budget.delta == 0) {
    work.whole = PureEvent{input.budget.epsilon};
    work.choice_epsilon = input.budget.epsilon / draws * kDown;
  } else {
    const double rho = zcdp_rho(input.budget.epsilon, input.budget.delta) * kDown;
    work.whole = ZcdpEvent{rho};
    work.choice_epsilon = std::sqrt(8 * rho / draws) * kDown;
  }
  work.range = input.budget.relation == Relation::replace_one ? 2 : 1;
  return work;
}

}  // namespace

Plan PrivGene::plan(const PlanInput& input) const {
  const GeneticWork work = work_of(*this, input);
  Choice{work.range, work.choice_epsilon, Aim::smallest, {0}}.check();
  Plan plan = start_plan(*this, input);
  plan.noise_at = NoiseAt::choice;
  plan.charges = {Charge{work.whole}};
  plan.distance = 0;  // choices are drawn exactly
  const double delta = composed_delta(plan.charges, input.budget.epsilon);
  plan.guarantee = {input.budget.epsilon, delta, input.budget.relation, "one row", "every chosen candidate"};
  plan.theorem = "spec 4.3 and 7.9; [Zhang13], choices composed";
  state_capacity(plan, input, row_count(input, declared_rows).capacity);
  plan.remarks.emplace_back(std::to_string(std::uint64_t{work.rounds} * parents + 1) + " choices by error counts");
  plan.work.way = work;
  return plan;
}

}  // namespace sotto
