// What: plan and run of a private genetic search.
// Formula: rounds of `parents` choices among `population` candidates by error counts, and one last choice, N in all, of
//   epsilon / N each, or of rho / N each (e = sqrt(8 rho / N)). R = 2 (replace_one: one count up, one down), or 1.
// Conditions: candidates depend on rows through choices alone; crossing and mutation read public coins.
// Reference: [Zhang13]; the enhanced exponential mechanism there is replaced by the plain one, which has a proof.
// Fails if wrong: PrivGene.* (replay of every draw)
#include "sotto/methods/priv_gene.h"

#include <cmath>
#include <utility>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/methods/declared_rows.h"
#include "sotto/methods/row_count.h"
#include "sotto/optim/crossed_errors.h"
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
        parents_(method.population * dimension_),
        crossed_errors_(run.input.problem.loss, run.input.facts) {
    for (double& gene : parents_) gene = method.spread * (2 * draw_uniform(coins_) - 1);
    // The first population has no parents. A small one is crossed with itself; the weights of a large one would leave
    // the cache for every few rows.
    constexpr std::size_t kSmall = 1 << 16;
    if (parents_.size() > kSmall) return;
    for (std::size_t i = 0; i < method.population; ++i) {
      children_.push_back({.head = i, .tail = i, .cut = dimension_, .moved = 0, .move = 0});
    }
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
    return children_.empty() ? choose(count, plain_errors()) : choose(count, crossed_errors());
  }
  Vector choose(std::uint32_t count, const RowCounts& errors) {
    constexpr double kOut = 1e18;  // more errors than there are rows: not drawn again
    Choice choice{terms_.range, terms_.choice_epsilon, Aim::smallest, Vector(method_.population, 0.0)};
    Vector chosen;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::size_t index = run_.curator.choose(errors.take(), choice, allowance_);
      choice.offsets[index] = kOut;
      const Vector genes = genes_of(index);
      chosen.insert(chosen.end(), genes.begin(), genes.end());
    }
    return chosen;
  }

  ErrorCounts plain_errors() const {
    ErrorCounts errors(run_.input.problem.loss, run_.input.facts);
    errors.start(parents_);
    sum_rows(run_.engine, errors);
    return errors;
  }
  const CrossedErrors& crossed_errors() {
    crossed_errors_.start(parents_, children_);
    sum_rows(run_.engine, crossed_errors_);
    return crossed_errors_;
  }
  Vector genes_of(std::size_t index) const {
    if (!children_.empty()) return crossed_weights(parents_, dimension_, children_[index]);
    const auto* first = parents_.data() + index * dimension_;
    return {first, first + dimension_};
  }

  /// A new population: two parents cut at one place and joined crosswise, then one weight moved.
  void breed(Vector parents, double mutation) {
    parents_ = std::move(parents);
    children_.resize(method_.population);
    for (Crossing& child : children_) {
      child.head = draw_below(coins_, method_.parents);
      child.tail = draw_below(coins_, method_.parents);
      child.cut = draw_below(coins_, dimension_ + 1);
      child.move = coins_.next() % 2 == 0 ? mutation : -mutation;
      child.moved = draw_below(coins_, dimension_);
    }
  }

  const PrivGene& method_;
  const Run& run_;
  const Terms terms_;
  Allowance allowance_;
  BitSource coins_;
  std::size_t dimension_;
  Vector parents_;
  std::vector<Crossing> children_;  // the population; none: the parents themselves
  CrossedErrors crossed_errors_;
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
