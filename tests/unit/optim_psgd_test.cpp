// Permutation SGD as an aggregate: a plain reference, blocking, sparse against dense, projection, averages.
#include <gtest/gtest.h>

#include <random>

#include "sotto/base/fields.h"
#include "sotto/optim/psgd.h"
#include "test_rows.h"

namespace sotto::test {
namespace {

constexpr std::uint32_t kFeatures = 11;

Rows random_rows(std::size_t rows, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Rows table(rows, kFeatures);
  for (std::size_t i = 0; i < rows; ++i) {
    Row row{std::vector<double>(kFeatures, 0.0), random() % 2 == 0 ? 1.0F : -1.0F};
    for (double& v : row.x) v = random() % 3 == 0 ? normal(random) : 0.0;
    table.set(i, row);
  }
  return table;
}

/// Recipes over every loss, averaging, two batches, with and without a ball.
std::vector<Recipe> recipes() {
  std::vector<Recipe> all;
  for_each_member<Loss>([&](auto tag) {
    for (const auto& [name, averaging] : enum_names(Averaging{})) {
      for (const std::uint64_t batch : {1, 7, 1000}) {
        for (const double radius : {0.0, 0.2}) {
          Recipe recipe;
          recipe.loss = typename decltype(tag)::type{};
          recipe.lambda = 0.02;
          recipe.step = {2.0, 50, 0, StepRule::Growth::linear};
          recipe.batch_rows = batch;
          recipe.passes = 3;
          recipe.projection.radius = radius;
          recipe.averaging = averaging;
          all.push_back(recipe);
        }
      }
    }
  });
  return all;
}

/// Collects the rows of a scan as plain numbers.
class Collector final : public RowConsumer {
 public:
  void consume(const RowBlock& block) noexcept override {
    for (std::size_t i = 0; i < block.rows; ++i) {
      const float* first = block.dense + i * block.features;
      rows.push_back({std::vector<double>(first, first + block.features), block.labels[i]});
    }
  }
  std::vector<Row> rows;
};

/// The definition of spec 3 written out, in long double and without any shortcut.
std::vector<long double> reference(const Recipe& recipe, const Rows& table) {
  Collector all;
  table.feed(all, stored_order(table.size()), 64, false);
  std::vector<long double> w(kFeatures, 0), released(kFeatures, 0);
  const std::uint64_t total = recipe.steps(table.size());
  std::uint64_t t = 0;
  for (std::uint32_t pass = 0; pass < recipe.passes; ++pass) {
    for (std::size_t first = 0; first < all.rows.size(); first += recipe.batch_rows) {
      std::vector<long double> sum(kFeatures, 0);
      const std::size_t last = std::min<std::size_t>(all.rows.size(), first + recipe.batch_rows);
      for (std::size_t i = first; i < last; ++i) {
        const Row& row = all.rows[i];
        long double margin = 0;
        for (std::size_t j = 0; j < kFeatures; ++j) margin += row.label * w[j] * row.x[j];
        double slope = 0;
        with_margin_loss(recipe.loss, [&](const auto& loss) { slope = loss.slope(static_cast<double>(margin)); });
        for (std::size_t j = 0; j < kFeatures; ++j) sum[j] += slope * row.label * row.x[j];
      }
      const long double eta = recipe.step(++t);
      long double squares = 0;
      for (std::size_t j = 0; j < kFeatures; ++j) {
        w[j] -= eta * (recipe.lambda * w[j] + sum[j] / static_cast<long double>(recipe.batch_rows));
        squares += w[j] * w[j];
      }
      const long double radius = recipe.projection.radius;
      const bool outside = radius > 0 && squares > radius * radius;
      for (std::size_t j = 0; j < kFeatures; ++j) {
        if (outside) w[j] *= radius / std::sqrt(squares);
        released[j] += averaging_weight(recipe.averaging, t, total) * w[j];
      }
    }
  }
  return released;
}

TEST(Psgd, IsTheDefinitionWrittenOut) {
  const Rows table = random_rows(100, 1);
  for (const Recipe& recipe : recipes()) {
    if (outputs_of(recipe.loss, 2) != 1) continue;             // optim_psgd_classes_test.cpp
    if (std::holds_alternative<Hinge>(recipe.loss)) continue;  // a rounding at the corner may take the other slope
    const std::vector<long double> expected = reference(recipe, table);
    const Vector actual = run(recipe, table);
    for (std::size_t j = 0; j < kFeatures; ++j) EXPECT_NEAR(actual[j], static_cast<double>(expected[j]), 1e-12);
  }
}

TEST(Psgd, TheSameRowsInOtherBlocksGiveTheSameBits) {
  const Rows table = random_rows(530, 2);
  for (const bool sparse : {false, true}) {
    for (const Recipe& recipe : recipes()) {
      const Vector whole = run(recipe, table, {{}, 530, sparse});
      for (const std::size_t block : {1, 3, 64, 257}) EXPECT_EQ(run(recipe, table, {{}, block, sparse}), whole);
    }
  }
}

TEST(Psgd, SparseAndDenseRowsAgree) {
  const Rows table = random_rows(200, 3);
  for (const Recipe& recipe : recipes()) {
    const Vector dense = run(recipe, table, {{}, 64, false}), sparse = run(recipe, table, {{}, 64, true});
    EXPECT_LE(distance(dense, sparse), 1e-12 * std::max(1.0, distance(dense, Vector(dense.size(), 0.0))));
  }
}

TEST(Psgd, SparseRowsSurviveAStepThatErasesTheWeights) {
  const Rows table = random_rows(50, 4);  // 1/(lambda t): the first step multiplies the weights by 0
  Recipe recipe;
  recipe.lambda = 1.0;
  recipe.step = {1e300, 1, 0, StepRule::Growth::linear};
  recipe.passes = 30;
  EXPECT_LE(distance(run(recipe, table, {{}, 64, false}), run(recipe, table, {{}, 64, true})), 1e-12);
  recipe.step = {1e300, 0.999, 1, StepRule::Growth::none};  // and one that shrinks them a thousand times each step
  EXPECT_LE(distance(run(recipe, table, {{}, 64, false}), run(recipe, table, {{}, 64, true})), 1e-12);
}

TEST(Psgd, AProjectionKeepsTheWeightsInTheBall) {
  const Rows table = random_rows(300, 5);
  for (const bool sparse : {false, true}) {
    for (const Recipe& recipe : recipes()) {
      if (!recipe.projection.active()) continue;
      const Vector weights = run(recipe, table, {{}, 64, sparse});
      EXPECT_LE(distance(weights, Vector(weights.size(), 0.0)), 0.2 * (1 + 1e-12));
    }
  }
}

TEST(Psgd, StepsAreCountedByRowsAlone) {
  const Rows table = random_rows(20, 6);
  Recipe recipe;
  recipe.step = {1, 1, 1, StepRule::Growth::none};
  recipe.batch_rows = 6;
  recipe.passes = 2;
  Psgd psgd(recipe, table.facts());
  table.feed(psgd, stored_order(20), 7, false);
  EXPECT_EQ(psgd.steps_done(), 4U);  // three full batches and a short one
  table.feed(psgd, stored_order(20), 20, false);
  EXPECT_EQ(psgd.steps_done(), 8U);
}

TEST(Psgd, BlocksOfAnotherKindThanTheFactsAreNotCounted) {
  const Rows table = random_rows(20, 7);
  for (const bool sparse : {false, true}) {
    Recipe recipe;
    recipe.step = {1, 1, 1, StepRule::Growth::none};
    Psgd psgd(recipe, table.facts(sparse));
    table.feed(psgd, stored_order(20), 7, !sparse);
    EXPECT_EQ(psgd.steps_done(), 0U);
  }
}

TEST(Psgd, AZeroRowHasNoEffectButItsShrinkage) {
  Rows table(3, kFeatures);
  Recipe recipe;
  recipe.lambda = 0.1;
  recipe.step = {1, 1, 1, StepRule::Growth::none};
  EXPECT_EQ(run(recipe, table), Vector(kFeatures, 0.0));
}

TEST(Averaging, MixesIteratesWhereMoreThanOneHasAWeight) {
  for (const auto& [name, averaging] : enum_names(Averaging{})) {
    int weighted = 0;
    for (std::uint64_t t = 1; t <= 100; ++t) weighted += averaging_weight(averaging, t, 100) > 0;
    EXPECT_EQ(mixes_iterates(averaging), weighted > 1) << name;
  }
}

TEST(Averaging, WeightsAddUpToOne) {
  for (const auto& [name, averaging] : enum_names(Averaging{})) {
    for (const std::uint64_t steps : {1, 2, 3, 10, 1000}) {
      double sum = 0;
      for (std::uint64_t t = 1; t <= steps; ++t) sum += averaging_weight(averaging, t, steps);
      EXPECT_NEAR(sum, 1, 1e-12) << name << " " << steps;
    }
  }
}

}  // namespace
}  // namespace sotto::test
