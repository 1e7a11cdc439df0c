// What: the rounds of a private genetic search.
// Conditions: candidates depend on rows through choices alone; crossing and mutation read public coins.
// Reference: [Zhang13, Algorithms 3 and 4]; spec 7.9.
// Fails if wrong: PrivGene.* (replay of every draw)
#include "sotto/work/genetic_search.h"

#include <utility>
#include <vector>

#include "sotto/optim/crossed_errors.h"
#include "sotto/optim/row_counts.h"
#include "sotto/optim/row_gradients.h"
#include "sotto/random/samplers.h"

namespace sotto {
namespace {

class Population {
 public:
  Population(const GeneticWork& work, const Run& run)
      : work_(work),
        run_(run),
        allowance_(run.curator.open_allowance(work.whole)),
        coins_(ReproducibleSeed{work.coins}),
        dimension_(weight_count(work.loss, run.engine.facts())),
        parents_(work.population * dimension_),
        crossed_errors_(work.loss, run.engine.facts()) {
    for (double& gene : parents_) gene = work.spread * (2 * draw_uniform(coins_) - 1);
    // The first population has no parents. A small one is crossed with itself; the weights of a large one would leave
    // the cache for every few rows.
    constexpr std::size_t kSmall = 1 << 16;
    if (parents_.size() > kSmall) return;
    for (std::size_t i = 0; i < work.population; ++i) {
      children_.push_back({.head = i, .tail = i, .cut = dimension_, .moved = 0, .move = 0});
    }
  }

  Vector go() {
    double mutation = work_.spread;
    for (std::uint32_t round = 0; round < work_.rounds; ++round) {
      breed(choose(work_.parents), mutation);
      mutation *= work_.mutation_decay;
      run_.progress((round + 1.0) / (work_.rounds + 1.0));
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
    Choice choice{work_.range, work_.choice_epsilon, Aim::smallest, Vector(work_.population, 0.0)};
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
    ErrorCounts errors(work_.loss, run_.engine.facts());
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
    children_.resize(work_.population);
    for (Crossing& child : children_) {
      child.head = draw_below(coins_, work_.parents);
      child.tail = draw_below(coins_, work_.parents);
      child.cut = draw_below(coins_, dimension_ + 1);
      child.move = coins_.next() % 2 == 0 ? mutation : -mutation;
      child.moved = draw_below(coins_, dimension_);
    }
  }

  const GeneticWork& work_;
  const Run& run_;
  Allowance allowance_;
  BitSource coins_;
  std::size_t dimension_;
  Vector parents_;
  std::vector<Crossing> children_;  // the population; none: the parents themselves
  CrossedErrors crossed_errors_;
};

}  // namespace

Outcome GeneticWork::run(const Run& run) const { return {Population(*this, run).go()}; }

}  // namespace sotto
