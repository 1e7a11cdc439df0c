// What: plan and run of a private genetic search.
// Formula: rounds of `parents` choices among `population` candidates by error counts, and one last choice, N in all, of
//   epsilon / N each, or of rho / N each (e = sqrt(8 rho / N)). R = 2 (replace_one: one count up, one down), or 1.
// Conditions: candidates depend on rows through choices alone; crossing and mutation read public coins.
// Reference: [Zhang13]; the enhanced exponential mechanism there is replaced by the plain one, which has a proof.
// Fails if wrong: PrivGene.* (replay of every draw)
#include "sotto/algorithms/priv_gene.h"

#include <algorithm>
#include <cmath>

#include "sotto/algorithms/declared_rows.h"
#include "sotto/algorithms/row_count.h"
#include "sotto/base/error.h"
#include "sotto/optim/row_counts.h"
#include "sotto/optim/row_gradients.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/random/samplers.h"

namespace sotto {
namespace {

struct Terms {
  Event whole;
  std::uint32_t rounds = 0;
  double choice_epsilon = 0;
  double range = 0;
};

Terms terms_of(const PrivGene& method, const PlanInput& input) {
  input.problem.check();
  input.budget.check();
  require(input.facts.features > 0, "features", "must be above 0");
  require(method.parents >= 2 && method.parents <= method.population, "parents", "must lie between 2 and population");
  require(method.population <= 10000, "population", "must be at most 10000");
  require(method.rounds <= 10000, "rounds", "must be at most 10000");
  require(method.spread > 0 && method.spread <= 1e6, "spread", "must be above 0 and at most 1e6");
  require(method.mutation_decay > 0 && method.mutation_decay <= 1, "mutation_decay", "must lie in (0, 1]");
  const double rows = static_cast<double>(public_rows(input, method.declared_rows).rows);
  Terms terms;
  const double published = std::fmax(8, std::fmin(10000, 0.00125 * input.budget.epsilon * rows));
  terms.rounds = method.rounds > 0 ? method.rounds : static_cast<std::uint32_t>(published);
  const double draws = static_cast<double>(terms.rounds) * method.parents + 1;
  constexpr double kDown = 1 - 1e-9;  // the part kept back covers the rounding of sums of these draws
  if (input.budget.delta == 0) {
    terms.whole = PureEvent{input.budget.epsilon};
    terms.choice_epsilon = input.budget.epsilon / draws * kDown;
  } else {
    const double rho = zcdp_rho(input.budget.epsilon, input.budget.delta) * kDown;
    terms.whole = ZcdpEvent{rho};
    terms.choice_epsilon = std::sqrt(8 * rho / draws) * kDown;
  }
  terms.range = input.budget.relation == Relation::replace_one ? 2 : 1;
  return terms;
}

class Population {
 public:
  Population(const PrivGene& method, const Run& run)
      : method_(method),
        run_(run),
        terms_(terms_of(method, run.input)),
        allowance_(run.curator.open_allowance(terms_.whole)),
        coins_(ReproducibleSeed{method.coins}),
        dimension_(weight_count(run.input.problem.loss, run.input.facts)),
        members_(method.population * dimension_),
        errors_(run.input.problem.loss, run.input.facts) {
    for (double& gene : members_) gene = method.spread * (2 * draw_uniform(coins_) - 1);
  }

  Vector go() {
    double mutation = method_.spread;
    for (std::uint32_t round = 0; round < terms_.rounds; ++round) {
      breed(choose(method_.parents), mutation);
      mutation *= method_.mutation_decay;
      run_.progress((round + 1.0) / (terms_.rounds + 1.0));
    }
    return choose(1);
  }

 private:
  /// `count` different members, each drawn by its error count, one after the other.
  Vector choose(std::uint32_t count) {
    constexpr double kOut = 1e18;  // more errors than there are rows: not drawn again
    Choice choice{terms_.range, terms_.choice_epsilon, Aim::smallest, Vector(method_.population, 0.0)};
    errors_.start(members_);
    sum_rows(run_.engine, errors_);
    Vector chosen;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::size_t index = run_.curator.choose(errors_.take(), choice, allowance_);
      choice.offsets[index] = kOut;
      const auto* first = members_.data() + index * dimension_;
      chosen.insert(chosen.end(), first, first + dimension_);
    }
    return chosen;
  }

  /// A new population: two parents cut at one place and joined crosswise, then one weight moved.
  void breed(const Vector& parents, double mutation) {
    for (std::size_t child = 0; child < method_.population; ++child) {
      const double* head = parents.data() + draw_below(coins_, method_.parents) * dimension_;
      const double* tail = parents.data() + draw_below(coins_, method_.parents) * dimension_;
      const std::size_t cut = draw_below(coins_, dimension_ + 1);
      double* genes = members_.data() + child * dimension_;
      std::copy(head, head + cut, genes);
      std::copy(tail + cut, tail + dimension_, genes + cut);
      genes[draw_below(coins_, dimension_)] += coins_.next() % 2 == 0 ? mutation : -mutation;
    }
  }

  const PrivGene& method_;
  const Run& run_;
  const Terms terms_;
  Allowance allowance_;
  BitSource coins_;
  std::size_t dimension_;
  Vector members_;
  ErrorCounts errors_;
};

}  // namespace

Plan PrivGene::plan(const PlanInput& input) const {
  const Terms terms = terms_of(*this, input);
  Choice{terms.range, terms.choice_epsilon, Aim::smallest, {0}}.check();
  Plan plan;
  plan.method = kName;
  plan.noise_at = NoiseAt::choice;
  plan.charges = {Charge{terms.whole}};
  plan.distance = 0;  // choices are drawn exactly
  const double delta = composed_delta(plan.charges, input.budget.epsilon);
  plan.guarantee = {input.budget.epsilon, delta, input.budget.relation, "one row", "every chosen candidate"};
  plan.theorem = "spec 4.3 and 7.9; [Zhang13], choices composed";
  state_capacity(plan, input, public_rows(input, declared_rows).most);
  plan.remarks.emplace_back(std::to_string(std::uint64_t{terms.rounds} * parents + 1) + " choices by error counts");
  return plan;
}

Vector PrivGene::run(const Run& run) const { return Population(*this, run).go(); }

}  // namespace sotto
