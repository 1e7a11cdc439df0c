#pragma once
// Tables, an engine over them and runs of solvers for the tests of gradient descent.
#include <random>

#include "sotto/algorithms/run.h"
#include "sotto/optim/gradient_sum.h"
#include "test_rows.h"

namespace sotto::test {

/// Feeds the rows as stored.
class TableEngine final : public Engine {
 public:
  explicit TableEngine(const Rows& rows) : rows_(rows) {}
  Facts facts() const override { return rows_.facts(); }
  std::uint32_t block_rows() const override { return 1; }
  void scan(const ScanOrder&, std::uint32_t, RowConsumer& consumer) override {
    rows_.feed(consumer, stored_order(rows_.size()), 256, false);
  }
  void scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const override {
    Order order(count);
    std::iota(order.begin(), order.end(), static_cast<std::size_t>(first));
    rows_.feed(consumer, order, 256, false);
  }

 private:
  const Rows& rows_;
};

/// Rows on the unit sphere, labelled by a hidden direction with some noise.
inline Rows sphere_rows(std::size_t count, std::uint32_t features, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Rows rows(count, features);
  for (std::size_t i = 0; i < count; ++i) {
    Row row{std::vector<double>(features), 1};
    double squares = 0;
    for (double& v : row.x) {
      v = normal(random);
      squares += v * v;
    }
    for (double& v : row.x) v /= std::sqrt(squares);
    row.label = row.x[0] + 0.5 * row.x[1] + 0.3 * normal(random) > 0 ? 1.0F : -1.0F;
    rows.set(i, row);
  }
  return rows;
}

struct Asked {
  Problem problem;
  Budget budget;
};

/// What the solver releases with seeded noise.
template <class A>
Vector released(const A& algorithm, const TableEngine& engine, const Asked& asked, std::uint64_t seed) {
  const PlanInput input{engine.facts(), asked.problem, asked.budget};
  BitSource bits(ReproducibleSeed{seed});
  Curator curator(bits);
  for (const Charge& charge : algorithm.plan(input).charges) curator.charge(charge);
  TableEngine copy = engine;
  return algorithm.run({copy, curator, input, [](double) {}});
}

}  // namespace sotto::test
