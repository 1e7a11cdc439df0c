// The link of a whitened descent: moments freed of their noise, the scale on drawn rows, and what a training stores.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sotto/data/dataset.h"
#include "sotto/engines/in_memory.h"
#include "sotto/model/evaluation.h"
#include "sotto/model/json.h"
#include "sotto/model/prediction.h"
#include "sotto/train.h"
#include "sotto/work/whitened_link.h"

namespace sotto {
namespace {

/// diag(values) plus symmetric noise, entries of the packed triangle having this standard deviation.
SymmetricEigen noised(const Vector& values, double noise) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(0, noise);
  const std::size_t order = values.size();
  Vector matrix(order * order);
  for (std::size_t i = 0; i < order; ++i) {
    matrix[i * order + i] = values[i] + normal(random);
    for (std::size_t k = 0; k < i; ++k) {
      matrix[i * order + k] = matrix[k * order + i] = normal(random) / std::sqrt(2);
    }
  }
  return symmetric_eigen(matrix, order);
}

TEST(WhitenedLink, MomentsWithoutNoiseAreNearerToThoseAlongTheReleasedVectors) {
  Vector truth(40, 50.0);
  truth[0] = 5000;
  const SymmetricEigen released = noised(truth, 20);
  const Vector found = moments_without_noise(released, 20);
  double raw = 0, freed = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    double along = 0;
    for (std::size_t k = 0; k < 40; ++k)
      along += truth[k] * released.vectors[i * 40 + k] * released.vectors[i * 40 + k];
    raw += std::pow(std::max(0.0, released.values[i]) - along, 2);
    freed += std::pow(found[i] - along, 2);
    EXPECT_GE(found[i], 0);
  }
  EXPECT_LT(freed, 0.2 * raw);
  EXPECT_EQ(moments_without_noise(released, 0), [&] {
    Vector positive = released.values;
    for (double& value : positive) value = std::max(0.0, value);
    return positive;
  }());
}

/// Normal rows of `features` and a constant, scaled to norm 1, with labels of a logistic model.
Dataset logistic_rows(std::size_t rows, std::uint32_t features, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  DatasetBuilder builder({.rows = 0, .features = features + 1, .data_norm = 1, .sparse = false, .classes = 2});
  std::vector<float> row(features + 1);
  for (std::size_t i = 0; i < rows; ++i) {
    double log_odds = 0, squares = 1;
    for (std::uint32_t k = 0; k < features; ++k) {
      const double x = normal(random);
      log_odds += (k % 2 == 0 ? 1 : -1) * x * 3 / std::sqrt(features);
      row[k] = static_cast<float>((x + 4) / 8);
      squares += double{row[k]} * row[k];
    }
    row[features] = 1;
    for (float& x : row) x = static_cast<float>(x / std::sqrt(squares * 1.0001));
    builder.add_dense(row, uniform(random) < 1 / (1 + std::exp(-log_odds)) ? 1.0F : -1.0F);
  }
  return builder.finish();
}

Model trained(const Dataset& rows, double clip) {
  InMemoryEngine engine(rows.facts(), rows.view());
  TrainRequest request;
  request.method = WhitenedDpgd{.passes = 50, .step_size = 40, .momentum = 0.8, .clip = clip};
  request.budget = {.epsilon = 2, .delta = 1e-8};
  BitSource bits(ReproducibleSeed{5});
  return train(engine, request, bits);
}

TEST(WhitenedLink, ProbabilitiesOfWellSpecifiedRowsAreCalibrated) {
  const Dataset rows = logistic_rows(20000, 20, 1), others = logistic_rows(20000, 20, 2);
  const Model model = trained(rows, 0.3);
  EXPECT_LT(model.link.scale, 0.4);
  EXPECT_GT(model.link.scale, 0.15);
  Model sigmoid = model;
  sigmoid.link = {};
  EXPECT_LT(evaluate(model, others.view()).loss, 0.45);  // the fit without privacy has 0.36, a coin 0.69
  EXPECT_GT(evaluate(sigmoid, others.view()).loss, 0.6);
  EXPECT_EQ(evaluate(model, others.view()).accuracy, evaluate(sigmoid, others.view()).accuracy);
  EXPECT_EQ(evaluate(model, others.view()).auc, evaluate(sigmoid, others.view()).auc);
}

TEST(WhitenedLink, TheLossOfAnEvaluationIsTheLogLossOfTheProbabilities) {
  const Dataset rows = logistic_rows(3000, 5, 1);
  const Model model = trained(rows, 0.3);
  ASSERT_NE(model.link, Link{});
  std::vector<double> all;
  scores(model, rows.view(), all);
  double sum = 0;
  for (std::size_t i = 0; i < 3000; ++i) {
    const std::vector<double> chances = class_probabilities(Logistic{}, {all.data() + i, 1}, model.link);
    sum -= std::log(chances[rows.view().labels[i] > 0 ? 1 : 0]);
    EXPECT_NEAR(chances[0] + chances[1], 1, 1e-15);
    EXPECT_EQ(chances[1] > chances[0], all[i] > 0);
  }
  EXPECT_NEAR(evaluate(model, rows.view()).loss, sum / 3000, 1e-12);
}

TEST(WhitenedLink, IsOfTheLogisticLossAlone) {
  const Dataset rows = logistic_rows(1000, 3, 1);
  InMemoryEngine engine(rows.facts(), rows.view());
  TrainRequest request;
  request.problem.loss = HuberSvm{};
  request.method = WhitenedDpgd{.clip = 0.3};
  request.budget = {.epsilon = 2, .delta = 1e-8};
  BitSource bits(ReproducibleSeed{5});
  EXPECT_EQ(train(engine, request, bits).link, Link{});
}

TEST(WhitenedLink, WeightsOfZeroLeaveTheSigmoid) {
  const SymmetricEigen moments = noised(Vector(3, 100.0), 1);
  const Whitening whitening{3, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  const Vector none(3, 0.0), some{1, 2, 3}, huge(3, 1e300);
  EXPECT_EQ(whitened_link({moments, 1, 100, 1, whitening, none, 0.3, 100}), Link{});
  EXPECT_EQ(whitened_link({moments, 1, 100, 1, whitening, huge, 0.3, 100}), Link{});
  const Link link = whitened_link({moments, 1, 100, 1, whitening, some, 0.3, 1e4});
  EXPECT_GT(link.scale, 0);
  EXPECT_LT(link.scale, 1);
}

}  // namespace
}  // namespace sotto
