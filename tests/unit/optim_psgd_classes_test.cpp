// Permutation SGD with several outputs against its definition, and two-class runs that keep their bits.
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "sotto/methods/bolt_on.h"
#include "test_rows.h"

namespace sotto::test {
namespace {

Rows table_of(std::uint32_t classes, std::size_t rows, std::uint32_t features, std::vector<Row>* plain = nullptr) {
  std::mt19937_64 random(classes);
  Rows table(rows, features, 1, classes);
  for (std::size_t i = 0; i < rows; ++i) {
    Row row{{}, label_of_class(static_cast<std::uint32_t>(random() % classes), classes)};
    for (std::uint32_t j = 0; j < features; ++j) {
      const bool zero = random() % 3 == 0;
      const double value = static_cast<double>(static_cast<int>(random() % 2001) - 1000) / (1000.0 * features);
      row.x.push_back(zero ? 0 : static_cast<float>(value));
    }
    table.set(i, row);
    if (plain != nullptr) plain->push_back(row);
  }
  return table;
}

/// The gradient of one row over all outputs, in the plainest way.
std::vector<long double> gradient(const Recipe& recipe, const Row& row, const std::vector<long double>& w,
                                  std::uint32_t classes) {
  const std::size_t d = row.x.size(), outputs = w.size() / d;
  std::vector<long double> scores(outputs, 0), coefficients(outputs), result(w.size());
  for (std::size_t k = 0; k < outputs; ++k) {
    for (std::size_t j = 0; j < d; ++j) scores[k] += w[k * d + j] * row.x[j];
  }
  const std::uint32_t own = class_of_label(row.label, classes);
  long double sum = 0;
  for (const long double s : scores) sum += std::exp(s);
  for (std::size_t k = 0; k < outputs; ++k) {
    const long double sign = k == own ? 1 : -1;
    if (std::holds_alternative<Softmax>(recipe.loss)) {
      coefficients[k] = std::exp(scores[k]) / sum - (k == own ? 1 : 0);
    } else {
      coefficients[k] = -sign / (1 + std::exp(sign * scores[k]));
    }
    for (std::size_t j = 0; j < d; ++j) result[k * d + j] = coefficients[k] * row.x[j];
  }
  return result;
}

/// w <- w - eta (lambda w + (1/b) sum of gradients), row by row in extended precision; the mean of all iterates.
std::vector<long double> by_definition(const Recipe& recipe, const std::vector<Row>& rows, std::uint32_t classes) {
  const std::size_t size = rows[0].x.size() * outputs_of(recipe.loss, classes);
  std::vector<long double> w(size, 0), sum(size, 0), mean(size, 0);
  std::uint64_t step = 0, in_batch = 0;
  for (std::uint32_t pass = 0; pass < recipe.passes; ++pass) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::vector<long double> g = gradient(recipe, rows[i], w, classes);
      for (std::size_t j = 0; j < size; ++j) sum[j] += g[j];
      if (++in_batch < recipe.batch_rows && i + 1 < rows.size()) continue;
      const long double eta = recipe.step(++step), b = static_cast<long double>(recipe.batch_rows);
      long double squares = 0;
      for (std::size_t j = 0; j < size; ++j) w[j] -= eta * (recipe.lambda * w[j] + sum[j] / b);
      for (const long double v : w) squares += v * v;
      const long double radius = recipe.projection.radius;
      const long double shrink = radius > 0 && squares > radius * radius ? radius / std::sqrt(squares) : 1;
      for (std::size_t j = 0; j < size; ++j) mean[j] += w[j] *= shrink;
      std::fill(sum.begin(), sum.end(), 0);
      in_batch = 0;
    }
  }
  if (recipe.averaging == Averaging::last) return w;
  for (long double& v : mean) v /= static_cast<long double>(step);
  return mean;
}

TEST(PsgdOfSeveralOutputs, FollowsItsDefinitionDenseAndSparseHoweverBlocked) {
  for (const Loss& loss : {Loss(Softmax{}), Loss(Logistic{})}) {
    for (const std::uint32_t classes : {2U, 3U, 7U}) {
      if (outputs_of(loss, classes) == 1) continue;
      std::vector<Row> plain;
      const Rows table = table_of(classes, 53, 5, &plain);
      for (const std::uint64_t batch : {1U, 8U, 53U}) {
        for (const Averaging averaging : {Averaging::last, Averaging::uniform}) {
          SgdOptions sgd{.passes = 3, .batch_rows = batch, .step = ConstantStep{0.7}};
          sgd.averaging = averaging;
          sgd.radius = batch == 8 ? 0.4 : 0;
          const Recipe recipe = make_recipe(sgd, {loss, 0.02}, table.facts());
          const std::vector<long double> expected = by_definition(recipe, plain, classes);
          const Vector dense = run(recipe, table, {{}, 53, false});
          ASSERT_EQ(dense.size(), std::size_t{5} * classes);
          for (std::size_t j = 0; j < dense.size(); ++j) {
            EXPECT_NEAR(dense[j], static_cast<double>(expected[j]), 1e-13);
          }
          EXPECT_EQ(run(recipe, table, {{}, 3, false}), dense) << "blocks do not change a bit";
          const Vector sparse = run(recipe, table, {{}, 10, true});
          EXPECT_EQ(run(recipe, table, {{}, 64, true}), sparse);
          for (std::size_t j = 0; j < dense.size(); ++j) EXPECT_NEAR(sparse[j], dense[j], 1e-14);
        }
      }
    }
  }
}

/// One number that changes with any bit of the weights.
std::uint64_t fingerprint(const Vector& weights) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const double w : weights) hash = (hash ^ std::bit_cast<std::uint64_t>(w)) * 0x100000001b3;
  return hash;
}

TEST(Psgd, TwoClassRunsKeepTheBitsTheyHadBeforeThereWereMore) {
  const Rows table = table_of(2, 61, 7);
  std::vector<std::uint64_t> bits;
  for (const Loss& loss : {Loss(Logistic{}), Loss(HuberSvm{})}) {
    for (const std::uint64_t batch : {1U, 8U}) {
      SgdOptions sgd{.passes = 2, .batch_rows = batch, .step = ConstantStep{0.5}};
      sgd.radius = batch == 8 ? 0.2 : 0;
      sgd.averaging = batch == 8 ? Averaging::uniform : Averaging::last;
      const Recipe recipe = make_recipe(sgd, {loss, 0.02}, table.facts());
      for (const bool sparse : {false, true}) bits.push_back(fingerprint(run(recipe, table, {{}, 9, sparse})));
    }
  }
  EXPECT_EQ(bits, (std::vector<std::uint64_t>{10438200829722803257U, 6314805859619293791U, 14242158556078667304U,
                                              5038144335638459370U, 12159224526810977755U, 4088215131375357868U,
                                              6930066902993593840U, 13879411957047427494U}));
}

TEST(PlansOfSeveralOutputs, UseTheDiameterAndTheDimensionOfAllOutputs) {
  const auto plan_of = [](const Loss& loss, std::uint32_t classes) {
    return BoltOn{.sgd = {.passes = 10, .batch_rows = 50}}.plan(
        {{10000, 5, 1.0, false, classes}, {loss, 0.01}, {.epsilon = 1}});
  };
  // D / (lambda m), as for two classes.
  EXPECT_NEAR(plan_of(Logistic{}, 2).l2_sensitivity, 0.02, 1e-6);
  EXPECT_NEAR(plan_of(Softmax{}, 2).l2_sensitivity, 0.02 * std::sqrt(2.0), 1e-6);
  EXPECT_NEAR(plan_of(Softmax{}, 10).l2_sensitivity, 0.02 * std::sqrt(2.0), 1e-6);
  EXPECT_NEAR(plan_of(Logistic{}, 10).l2_sensitivity, 0.02 * std::sqrt(10.0), 1e-6);
  EXPECT_EQ(base_of(plan_of(Logistic{}, 2).noise->mechanism).dimension, 5U);
  EXPECT_EQ(base_of(plan_of(Softmax{}, 2).noise->mechanism).dimension, 10U);
  EXPECT_EQ(base_of(plan_of(Softmax{}, 10).noise->mechanism).dimension, 50U);
  EXPECT_EQ(base_of(plan_of(HuberSvm{}, 3).noise->mechanism).dimension, 15U);
}

}  // namespace
}  // namespace sotto::test
