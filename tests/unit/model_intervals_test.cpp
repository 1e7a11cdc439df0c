// Second moments, their sensitivity and price, and the coverage of the intervals made from them.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <random>

#include "row_table.h"
#include "sensitive_access.h"
#include "sotto/base/error.h"
#include "sotto/linalg/symmetric_eigen.h"
#include "sotto/methods/interval_release.h"
#include "sotto/model/json.h"
#include "sotto/optim/minimiser.h"
#include "sotto/optim/score_moments.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/train.h"

namespace sotto::test {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

Vector moments_of(const RowTable& table, const Vector& weights) {
  ScoreMoments moments(table.facts, narrow_grid(outer_distance(table.facts.data_norm, false), 1000));
  moments.start(weights);
  moments.consume(table.view());
  return SensitiveTestAccess::open(moments.take());
}

double distance(const Vector& a, const Vector& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(squares);
}

TEST(SymmetricEigen, GivesBackTheMatrixAndHasOrthonormalVectors) {
  constexpr std::size_t kOrder = 9;
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  Vector matrix(kOrder * kOrder);
  for (std::size_t i = 0; i < kOrder; ++i) {
    for (std::size_t k = 0; k <= i; ++k) matrix[i * kOrder + k] = matrix[k * kOrder + i] = normal(random);
  }
  const SymmetricEigen eigen = symmetric_eigen(matrix, kOrder);
  EXPECT_LT(distance(recombine(eigen, eigen.values), matrix), 1e-12);
  Vector identity(kOrder * kOrder, 0.0);
  for (std::size_t i = 0; i < kOrder; ++i) identity[i * kOrder + i] = 1;
  EXPECT_LT(distance(recombine(eigen, Vector(kOrder, 1.0)), identity), 1e-12);
  EXPECT_LT(distance(multiply(matrix, identity, kOrder), matrix), 1e-12);
}

TEST(ScoreMoments, AreTheSumsOfTheirDefinition) {
  constexpr std::size_t kFeatures = 5;
  constexpr double kRounded = 200 * 0x1p-32 * kFeatures;  // rows, to the grid, for each of 25 entries
  for (const bool sparse : {false, true}) {
    const RowTable table = planted_table(200, kFeatures, 2, sparse);
    const Vector weights = {0.5, -1, 2, 0, 0.3};
    const MomentPair pair = unpack_moments(moments_of(table, weights), kFeatures);
    Vector curvature(kFeatures * kFeatures, 0.0), scores = curvature;
    for (std::size_t i = 0; i < table.labels.size(); ++i) {
      const float* x = table.dense.data() + i * kFeatures;
      double margin = 0;
      for (std::size_t k = 0; k < kFeatures; ++k) margin += table.labels[i] * x[k] * weights[k];
      const double s = sigmoid(-margin);
      for (std::size_t a = 0; a < kFeatures; ++a) {
        for (std::size_t b = 0; b < kFeatures; ++b) {
          curvature[a * kFeatures + b] += s * (1 - s) * x[a] * x[b];
          scores[a * kFeatures + b] += s * s * x[a] * x[b];
        }
      }
    }
    EXPECT_LT(distance(pair.curvature, curvature), kRounded);
    EXPECT_LT(distance(pair.scores, scores), kRounded);
  }
}

TEST(ScoreMoments, AReplacedRowMovesThemByAtMostTheirSensitivityAndSomePairAttainsIt) {
  const double replaced = outer_distance(1, true), added = outer_distance(1, false);
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  const auto one_row = [&](const std::vector<double>& x, double label, const Vector& weights) {
    RowTable table(2);
    table.add(x, label);
    return moments_of(table, weights);
  };
  for (int i = 0; i < 2000; ++i) {
    const Vector weights = {10 * normal(random), 10 * normal(random)};
    const Vector a = one_row({2 * normal(random), normal(random)}, 1, weights);
    const Vector b = one_row({normal(random), 2 * normal(random)}, -1, weights);
    EXPECT_LE(distance(a, b), replaced * (1 + 1e-6));
    EXPECT_LE(distance(a, Vector(a.size(), 0.0)), added * (1 + 1e-6));
  }
  const Vector steep = {-50, -50};
  const Vector first = one_row({1, 0}, 1, steep), second = one_row({0, 1}, 1, steep);
  EXPECT_GE(distance(first, second), 0.999 * replaced);
  EXPECT_GE(distance(first, Vector(first.size(), 0.0)), 0.999 * added);
}

PlanInput input_of(const Budget& budget) { return {{10000, 6, 1.0, false, 2}, {Logistic{}, 0.01}, budget}; }

TEST(Intervals, TheTwoReleasesAddUpToTheBudget) {
  const Budget budget{.epsilon = 1, .delta = 1e-6};
  const Plan plan = Output{.intervals = 0.2}.plan(input_of(budget));
  ASSERT_EQ(plan.charges.size(), 2U);
  EXPECT_LE(plan.guarantee.epsilon, 1);
  EXPECT_LE(plan.guarantee.delta, 1e-6);
  // Each is the Gaussian release of its own share.
  const double weights = std::get<GaussianEvent>(plan.charges[0].event).mu;
  const double moments = std::get<GaussianEvent>(plan.charges[1].event).mu;
  EXPECT_NEAR(gaussian_delta(weights, 0.8), 0.8e-6, 1e-9);
  EXPECT_NEAR(gaussian_delta(moments, 0.2), 0.2e-6, 1e-9);
  EXPECT_GT(planned_cost(plan).distance, plan.noise->distance);
  for (const double delta : {0.0, 1e-6}) {
    const Plan objective = Objective{.intervals = 0.2}.plan(input_of({.epsilon = 1, .delta = delta}));
    ASSERT_EQ(objective.charges.size(), 2U);
    EXPECT_LE(objective.guarantee.epsilon, 1);
    EXPECT_NEAR(objective.guarantee.epsilon, 1, 1e-9);
    EXPECT_LE(objective.guarantee.delta, std::max(delta, 1e-9));
  }
}

TEST(Intervals, AreRefusedWhereTheyAreNotDerived) {
  PlanInput input = input_of({.epsilon = 1, .delta = 1e-6});
  EXPECT_THROW(Output{.intervals = 0.6}.plan(input), Error);
  EXPECT_THROW(Objective{.intervals = -0.1}.plan(input), Error);
  EXPECT_THROW((Output{.mechanism = MechanismChoice::discrete_laplace, .intervals = 0.1}.plan(input)), Error);
  input.problem.loss = HuberSvm{};
  EXPECT_THROW(Objective{.intervals = 0.1}.plan(input), Error);
  input.problem.loss = Softmax{};
  EXPECT_THROW(Output{.intervals = 0.1}.plan(input), Error);
}

TEST(Intervals, HalfWidthsAreThoseOfTheLaw) {
  WeightUncertainty uncertainty{1, {0.25}, {2.0}, 0};
  const auto half = [&] { return IntervalMaker(uncertainty, 0.95).coefficient(0, 0.0).upper; };
  EXPECT_NEAR(half(), 1.959963985 * 1.5, 1e-7);
  uncertainty.sampling = {0.0};
  // One dimension: Laplace of scale 1, P(|x| > q) = exp(-q).
  uncertainty.laplace_dimension = 1;
  EXPECT_NEAR(half(), -std::log(0.05), 2e-3);
  // A coordinate of exp(-|x|) in three dimensions, variance 4: P(|x| > q) = (1 + q/2) exp(-q).
  uncertainty.laplace_dimension = 3;
  uncertainty.noise = {4.0};
  const double q = half();
  EXPECT_NEAR((1 + q / 2) * std::exp(-q), 0.05, 5e-5);
  const Interval chance = probability_interval({-1.0, 2.0});
  EXPECT_NEAR(chance.lower, 0.268941, 1e-6);
  EXPECT_NEAR(chance.upper, 0.880797, 1e-6);
  const Interval linked = probability_interval({-2.0, 4.0}, Link{0.5});
  EXPECT_EQ(linked.lower, chance.lower);
  EXPECT_EQ(linked.upper, chance.upper);
}

/// A population of few points, so that the minimiser of its regularised risk is known to all digits.
struct Population {
  static constexpr std::uint32_t kFeatures = 3;
  static constexpr std::size_t kPoints = 8;
  std::array<std::array<double, kFeatures>, kPoints> x{};
  std::array<double, kPoints> chance{};  // of the label +1

  /// `bend` 0: the logistic model holds; otherwise it does not.
  explicit Population(double bend) {
    for (std::size_t i = 0; i < kPoints; ++i) {
      x[i] = {(i & 1U) != 0 ? 0.55 : -0.4, (i & 2U) != 0 ? 0.5 : -0.55, 0.6};
      const double wave = (i & 4U) != 0 ? bend : -bend;
      chance[i] = sigmoid(2 * x[i][0] - 3 * x[i][1] + 0.5 * x[i][2] + wave);
    }
  }
  Vector minimiser(double lambda) const {
    Vector w(kFeatures, 0.0);
    for (int step = 0; step < 20000; ++step) {  // gradient steps of 1/L: the risk is smooth and strongly convex
      Vector gradient(kFeatures);
      for (std::size_t k = 0; k < kFeatures; ++k) gradient[k] = lambda * w[k];
      for (std::size_t i = 0; i < kPoints; ++i) {
        double score = 0;
        for (std::size_t k = 0; k < kFeatures; ++k) score += w[k] * x[i][k];
        for (std::size_t k = 0; k < kFeatures; ++k) gradient[k] += (sigmoid(score) - chance[i]) * x[i][k] / kPoints;
      }
      for (std::size_t k = 0; k < kFeatures; ++k) w[k] -= 3 * gradient[k];
    }
    return w;
  }
  RowTable sample(std::size_t rows, std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform;
    RowTable table(kFeatures);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t point = random() % kPoints;
      table.add({x[point].begin(), x[point].end()}, uniform(random) < chance[point] ? 1 : -1);
    }
    return table;
  }
};

struct Coverage {
  double coefficients = 0;
  double margins = 0;
  double without_noise = 0;  ///< of intervals that forget the privacy noise
};

struct Setting {
  std::size_t rows = 2000;
  double lambda = 0.01;
  double bend = 0;
  int runs = 200;
};

/// A plan is run many times: calibration takes far longer than a run.
Model model_of(const Plan& plan, Engine& engine, BitSource& bits) {
  Curator curator(bits);
  for (const Charge& charge : plan.charges) curator.charge(charge);
  const Outcome outcome = run(plan.work, {engine, curator, [](double) {}});
  Model model;
  model.weights = outcome.weights;
  model.uncertainty = weight_uncertainty(outcome.moments, *plan.work.intervals, engine.facts().features);
  return model;
}

struct Hits {
  double covered = 0;
  double checks = 0;
  void add(const Interval& interval, double truth) {
    covered += interval.lower <= truth && truth <= interval.upper ? 1 : 0;
    ++checks;
  }
  double share() const { return covered / checks; }
};

template <class Method>
Coverage coverage(const Method& method, const Budget& budget, const Setting& setting = {}) {
  const Population population(setting.bend);
  const Vector truth = population.minimiser(setting.lambda);
  const std::vector<std::uint32_t> columns = {0, 1, 2};
  const Plan plan = method.plan({{setting.rows, 3, 1.0, false, 2}, {Logistic{}, setting.lambda}, budget});
  Hits coefficients, margins, without_noise;
  for (int run = 0; run < setting.runs; ++run) {
    const RowTable table = population.sample(setting.rows, 100 + static_cast<std::uint64_t>(run));
    RowTableEngine engine(table, 1000);
    BitSource bits(ReproducibleSeed{static_cast<std::uint64_t>(7000 + run)});
    const Model model = model_of(plan, engine, bits);
    WeightUncertainty forgetful = *model.uncertainty;
    forgetful.noise.assign(forgetful.noise.size(), 0.0);
    const IntervalMaker maker(*model.uncertainty, 0.95), careless(forgetful, 0.95);
    for (std::size_t k = 0; k < Population::kFeatures; ++k) {
      coefficients.add(maker.coefficient(k, model.weights[k]), truth[k]);
      without_noise.add(careless.coefficient(k, model.weights[k]), truth[k]);
    }
    for (const std::size_t point : {0U, 3U, 6U}) {
      const std::vector<float> x(population.x[point].begin(), population.x[point].end());
      double estimate = 0, target = 0;
      for (std::size_t k = 0; k < x.size(); ++k) {
        estimate += x[k] * model.weights[k];
        target += x[k] * truth[k];
      }
      margins.add(maker.margin(columns, x, estimate), target);
    }
  }
  return {coefficients.share(), margins.share(), without_noise.share()};
}

void expect_nominal(const Coverage& measured) {
  EXPECT_GE(measured.coefficients, 0.93);
  EXPECT_LE(measured.coefficients, 0.97);
  EXPECT_GE(measured.margins, 0.93);
  EXPECT_LE(measured.margins, 0.97);
  std::printf("coverage %.4f of coefficients, %.4f of margins, %.4f without the noise\n", measured.coefficients,
              measured.margins, measured.without_noise);
}

TEST(Intervals, OfOutputPerturbationCoverTheTruthAsOftenAsTheySay) {
  const Coverage measured = coverage(Output{.intervals = 0.3}, {.epsilon = 2, .delta = 1e-5});
  expect_nominal(measured);
  EXPECT_LT(measured.without_noise, 0.8);
}

TEST(Intervals, OfObjectivePerturbationCoverTheTruthAsOftenAsTheySay) {
  const Coverage measured = coverage(Objective{.intervals = 0.3}, {.epsilon = 1, .delta = 1e-5}, {.rows = 3000});
  expect_nominal(measured);
  EXPECT_LT(measured.without_noise, 0.9);
}

TEST(Intervals, OfPureNoiseCoverTheTruthAsOftenAsTheySay) {
  expect_nominal(coverage(Output{.intervals = 0.3}, {.epsilon = 2}, {.runs = 120}));
  expect_nominal(coverage(Objective{.intervals = 0.3}, {.epsilon = 2}, {.runs = 120}));
}

TEST(Intervals, CoverWhereTheLogisticModelDoesNotHold) {
  expect_nominal(coverage(Objective{.intervals = 0.3}, {.epsilon = 20, .delta = 1e-5}, {.bend = 2.5}));
}

TEST(Intervals, AreTooWideRatherThanTooNarrowWhenTheMomentsDrownInNoise) {
  const Budget budget{.epsilon = 0.3, .delta = 1e-5};
  const Coverage output = coverage(Output{.intervals = 0.1}, budget, {.runs = 100});
  const Coverage objective = coverage(Objective{.intervals = 0.1}, budget, {.runs = 100});
  EXPECT_GE(output.coefficients, 0.93);
  EXPECT_GE(output.margins, 0.93);
  EXPECT_GE(objective.coefficients, 0.93);
  EXPECT_GE(objective.margins, 0.93);
  std::printf("coverage %.4f, %.4f by output, %.4f, %.4f by objective\n", output.coefficients, output.margins,
              objective.coefficients, objective.margins);
}

TEST(Intervals, SurviveTheModelFile) {
  const RowTable table = Population(0).sample(500, 1);
  RowTableEngine engine(table);
  BitSource bits(ReproducibleSeed{1});
  TrainRequest request;
  request.problem = {Logistic{}, 0.01};
  request.method = Objective{.intervals = 0.2};
  request.budget = {.epsilon = 1, .delta = 1e-5};
  const Model model = train(engine, request, bits);
  const Model again = model_from_text(model_text(model), "test");
  ASSERT_TRUE(again.uncertainty.has_value());
  EXPECT_EQ(*again.uncertainty, *model.uncertainty);
  EXPECT_EQ(again.card.events.size(), 2U);
  Json broken = to_json(model);
  broken["uncertainty"]["noise"] = {1.0};
  EXPECT_THROW(model_from_text(broken.dump(), "test"), Error);
  TrainRequest plain = request;
  plain.method = Objective{};
  EXPECT_FALSE(train(engine, plain, bits).uncertainty.has_value());
}

}  // namespace
}  // namespace sotto::test
