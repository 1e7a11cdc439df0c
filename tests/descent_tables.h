#pragma once
// Tables and runs of solvers for the tests of gradient descent.
#include <random>

#include "planned.h"
#include "sotto/optim/gradient_sum.h"
#include "test_rows.h"

namespace sotto::test {

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
Vector released(const A& method, const TableEngine& engine, const Asked& asked, std::uint64_t seed) {
  BitSource bits(ReproducibleSeed{seed});
  Curator curator(bits);
  TableEngine copy = engine;
  return charge_and_run(method.plan({engine.facts(), asked.problem, asked.budget}), copy, curator);
}

}  // namespace sotto::test
