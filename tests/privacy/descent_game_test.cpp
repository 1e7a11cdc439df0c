// The distinguishing game for gradient descent: one column, all rows zero but the first, +1 against -1, in the linear
// part of the loss, where every claim is the exact law. Right plans stay below their claim and come close to it; the
// same run judged by a smaller claim is flagged.
#include <gtest/gtest.h>

#include <functional>

#include "descent_tables.h"
#include "game_score.h"
#include "sotto/methods/correlated.h"
#include "sotto/methods/dpgd_shape.h"
#include "sotto/methods/sampled_descent.h"
#include "sotto/optim/correlated.h"
#include "sotto/privacy/gaussian.h"

namespace sotto::test {
namespace {

constexpr std::uint64_t kRows = 100;
const Budget kBudget{.epsilon = 4, .delta = 1e-2};

Rows table(double value) {
  Rows rows(kRows, 1);
  rows.set(0, {{value}, 1});
  return rows;
}

PlanInput input_of(double lambda) { return {table(1).facts(), {HuberSvm{0.1}, lambda}, kBudget}; }

/// Plays `weight(table, bits)`: a row +1 pulls the released weight up, a row -1 down.
Score play(std::uint64_t games, const std::function<double(const Rows&, BitSource&)>& weight) {
  const Rows first = table(1), second = table(-1);
  const auto game = [&](bool other, BitSource& bits) { return weight(other ? second : first, bits); };
  return test::play(game, games, 0, 21);
}

TEST(Game, DpgdByCompositionStaysBelowItsMuForOneAndForFivePasses) {
  const double mu = gaussian_mu(4, 1e-2);
  for (const std::uint32_t passes : {1U, 5U}) {
    const Dpgd method{.passes = passes, .step_size = 1e-3, .bound = DescentBound::composition};
    const Calibrated noise = dpgd_composition(method, dpgd_shape(method, input_of(0)), input_of(0));
    const Score score = play(4000, [&](const Rows& rows, BitSource& bits) {
      Curator curator(bits);
      curator.charge(noise.charge());
      GradientSum sum(HuberSvm{0.1}, rows.facts(), dpgd_shape(method, input_of(0)).grid);
      Vector w(1, 0.0);
      for (std::uint32_t i = 0; i < passes; ++i) {
        sum.start(w);
        rows.feed(sum, stored_order(kRows), kRows, false);
        w[0] -= 1e-5 * curator.release(sum.take(), noise.mechanism)[0];
      }
      return w[0];
    });
    EXPECT_LE(score.mu(), mu);
    EXPECT_GE(score.mu(), 0.85 * mu) << "so that halved noise or passes not composed would be flagged";
  }
}

/// Joins the hook of the descent to the curator's noise.
class Curated final : public StepNoise {
 public:
  explicit Curated(NoisySums sums) : sums_(std::move(sums)) {}
  void perturb(std::span<double> values) noexcept override { sums_.perturb(values); }
  const NoisySums& sums() const { return sums_; }

 private:
  NoisySums sums_;
};

TEST(Game, DpgdByHiddenStateStaysBelowItsMuAndReachesIt) {
  const double mu = gaussian_mu(4, 1e-2);
  for (const std::uint32_t passes : {1U, 30U}) {
    const Dpgd method{.passes = passes, .step_size = 0.05, .bound = DescentBound::hidden_state};
    const HiddenPlan plan = dpgd_hidden(method, dpgd_shape(method, input_of(1)), input_of(1));
    const Score score = play(4000, [&](const Rows& rows, BitSource& bits) {
      Curator curator(bits);
      curator.charge(plan.noise.charge());
      Curated noise(curator.joint_noise(plan.noise.law()));
      SecretDescent descent(HuberSvm{0.1}, rows.facts(), plan.step, &noise);
      const TableEngine engine(rows);
      for (std::uint32_t i = 0; i < passes; ++i) descent.step_rows(engine, 0, kRows);
      return curator.release_post_processed(std::move(descent).finish(), noise.sums())[0];
    });
    EXPECT_LE(score.mu(), mu);
    EXPECT_GE(score.mu(), 0.85 * mu);
  }
}

/// One step on half of the rows: the row pulls the weight by 1 if it is drawn. Calibrated once, played often.
Score play_sampled(const Budget& budget, std::uint64_t games) {
  const Rows tables[] = {table(1), table(-1)};
  const PlanInput input{tables[0].facts(), {HuberSvm{0.1}, 0}, budget};
  const SampledRun shape = sampled_run({0.5, kRows / 2, 0, 0}, input);
  const SampledCalibrated noise = calibrate_sampled(sampled_shape(shape), budget, SampledAccounting::pld);
  const SampledWork work{shape, input.problem.loss, noise.law(), {}, ConstantPace{kRows / 2.0}};
  const auto game = [&](bool other, BitSource& bits) {
    Curator curator(bits);
    curator.charge(noise.charge());
    TableEngine engine(tables[other ? 1 : 0]);
    return work.run({engine, curator, [](double) {}}).weights[0];
  };
  return test::play(game, games, 1, 5);
}

TEST(Game, DpsgdStaysBelowItsEpsilonAndLessNoiseIsFlagged) {
  EXPECT_LE(play_sampled(kBudget, 3000).epsilon(1e-2), 4);
  EXPECT_GT(play_sampled({.epsilon = 9, .delta = 1e-2}, 3000).epsilon(1e-2), 2) << "as if 2 had been claimed";
}

/// Noises the mixed sums through the curator and keeps them for the attacker.
class Overheard final : public StepNoise {
 public:
  explicit Overheard(NoisySums sums) : sums_(std::move(sums)) {}
  void perturb(std::span<double> values) noexcept override {
    sums_.perturb(values);
    heard.push_back(values[0]);
  }
  std::vector<double> heard;

 private:
  NoisySums sums_;
};

TEST(Game, CorrelatedNoiseStaysBelowItsMuAgainstTheBestAttacker) {
  constexpr std::uint64_t kBatch = 20, kSteps = 15, kPerPass = 5;
  const Correlated method{.passes = 3, .batch_rows = kBatch, .step_size = 1e-4};
  const JointCalibrated noise = [&] {
    const Plan plan = method.plan({{kRows, 1, 1.0, false}, {HuberSvm{0.1}, 0}, kBudget});
    return JointCalibrated{*plan.noise, kSteps};
  }();
  // The attacker weighs what was heard by how far the row moves it.
  const auto c = inverse_root_coefficients(kSteps);
  std::vector<double> shift(kSteps, 0.0);
  for (std::uint64_t t = 0; t < kSteps; ++t) {
    for (std::uint64_t hit = 0; hit <= t; hit += kPerPass) shift[t] += c[t - hit];
  }
  const Rows tables[] = {table(1), table(-1)};
  const auto game = [&](bool other, BitSource& bits) {
    Curator curator(bits);
    curator.charge(noise.charge());
    Overheard heard(curator.joint_noise(noise.law()));
    CorrelatedDescent descent({HuberSvm{0.1}, 0, 1e-4, 0, kBatch, kSteps}, tables[0].facts(), heard);
    for (int pass = 0; pass < 3; ++pass) tables[other ? 1 : 0].feed(descent, stored_order(kRows), kRows, false);
    double statistic = 0;
    for (std::uint64_t t = 0; t < kSteps; ++t) statistic -= shift[t] * heard.heard[t];
    return statistic;
  };
  const Score score = test::play(game, 3000, 0, 77);
  const double mu = gaussian_mu(4, 1e-2);
  EXPECT_LE(score.mu(), mu);
  EXPECT_GE(score.mu(), 0.85 * mu);
}

/// The gradient sums of neighbours at the same weights, noise off (spec 9): never further apart than the plan claims.
TEST(GradientSums, OfNeighboursStayWithinTheClaimAndOppositeRowsReachIt) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  const PlanInput input{{60, 3, 1.0, false}, {HuberSvm{0.1}, 0.01}, {.epsilon = 1, .delta = 1e-6}};
  const Dpgd method{.passes = 3, .bound = DescentBound::composition};
  const double claim = method.plan(input).l2_sensitivity;
  double largest = 0;
  const auto gap = [&](const Rows& a, const Rows& b, const Vector& w) {
    Vector sums[2];
    const Rows* tables[] = {&a, &b};
    for (int i = 0; i < 2; ++i) {
      GradientSum sum(HuberSvm{0.1}, a.facts(), dpgd_shape(method, input).grid);
      sum.start(w);
      tables[i]->feed(sum, stored_order(a.size()), 13, i == 1);
      sums[i] = SensitiveTestAccess::open(sum.take());
    }
    return distance(sums[0], sums[1]);
  };
  for (int i = 0; i < 300; ++i) {
    Rows first(60, 3);
    for (std::size_t row = 0; row < 60; ++row) {
      first.set(row, {{normal(random), normal(random), normal(random)}, random() % 2 == 0 ? 1.0F : -1.0F});
    }
    Rows second = first;
    const Vector direction = {normal(random), normal(random), normal(random)};
    first.set(i % 60, {direction, 1});
    second.set(i % 60, {direction, -1});
    largest = std::max(largest, gap(first, second, {0.01 * normal(random), 0.01 * normal(random), 0}));
    EXPECT_LE(largest, claim);
  }
  Rows plus(60, 3), minus(60, 3);
  plus.set(4, {{3, 0, 0}, 1});
  minus.set(4, {{-3, 0, 0}, 1});
  const double opposite = gap(plus, minus, {0, 0.3, 0});
  EXPECT_LE(opposite, claim);
  EXPECT_GE(opposite, 0.99 * claim);
}

}  // namespace
}  // namespace sotto::test
