// Objective and output perturbation with everything on: the distinguishing game, and the distance of un-noised
// neighbours.
#include <gtest/gtest.h>

#include "game_score.h"
#include "planned.h"
#include "row_table.h"
#include "sensitive_access.h"
#include "sotto/methods/objective.h"
#include "sotto/methods/output.h"
#include "sotto/optim/minimiser.h"
#include "sotto/privacy/gaussian.h"

namespace sotto::test {
namespace {

/// One column, zero rows but the first: +1 against -1. In the linear part of the loss the gradients differ by 2.
RowTable lone_row(double value, std::size_t rows = 50) {
  RowTable table(1);
  table.add({value}, 1);
  while (table.facts.rows < rows) table.add({0}, 1);
  return table;
}

PlanInput input_of(const RowTable& table, const Budget& budget, double curvature) {
  return {table.facts, {HuberSvm{0.1}, curvature / static_cast<double>(table.facts.rows)}, budget};
}

/// The attacker looks at the weight times the curvature; `shrink` multiplies the noise of the objective.
Score play(const Budget& budget, double threshold, double shrink) {
  const RowTable tables[] = {lone_row(1), lone_row(-1)};
  const PlanInput input = input_of(tables[0], budget, 60);
  const ObjectiveNoise noise = objective_noise_of(Objective{}, input);
  const auto game = [&](bool other, BitSource& bits) {
    const RowTableEngine engine(tables[other ? 1 : 0]);
    Curator curator(bits);
    curator.charge({noise.event(), 1, 1});
    const Vector w = curator.release_minimiser(noise, [&](std::span<const double> linear) {
      const Vector shrunk{shrink * linear[0]};
      return minimise(engine, {input.problem.loss, 60, shrunk}, {.tolerance = noise.tolerance - noise.rounding()});
    });
    return w[0] * 60;
  };
  return test::play(game, 6000, threshold, 21);
}

TEST(ObjectiveGame, GaussianStaysBelowItsMu) {
  const Budget budget{.epsilon = 4, .delta = 1e-2};
  const RowTable table = lone_row(1);
  const double mu =
      std::get<GaussianNoise>(objective_noise_of(Objective{}, input_of(table, budget, 60)).on_objective).mu;
  EXPECT_LT(mu, gaussian_mu(4, 1e-2));
  const Score told = play(budget, 0, 1);
  EXPECT_LE(told.mu(), mu);
  EXPECT_GE(told.mu(), 0.8 * mu) << "the game has no power";
  EXPECT_LE(told.epsilon(budget.delta), 4);
  EXPECT_GT(play(budget, 0, 0.5).mu(), gaussian_mu(4, 1e-2)) << "half the noise is not flagged";
}

TEST(ObjectiveGame, LaplaceStaysBelowItsEpsilon) {
  // Told at the centre of the first law: half the time, against exp(-epsilon)/2.
  const Score told = play({.epsilon = 1}, 1, 1);
  EXPECT_LE(told.epsilon(), 1);
  EXPECT_GE(told.epsilon(), 0.7) << "the game has no power";
  EXPECT_GT(play({.epsilon = 1}, 1, 0.5).epsilon(), 1) << "half the noise is not flagged";
}

double gap(const RowTable& one, const RowTable& other, const Loss& loss, double curvature, double tolerance) {
  const auto solve = [&](const RowTable& table) {
    const RowTableEngine engine(table);
    return SensitiveTestAccess::open(minimise(engine, {loss, curvature, {}}, {.tolerance = tolerance}));
  };
  const Vector a = solve(one), b = solve(other);
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(squares);
}

TEST(OutputNeighbours, StayWithinTheSensitivityAndTheTightPairReachesIt) {
  const RowTable one = lone_row(1), other = lone_row(-1);
  for (const Loss& asked : {Loss(HuberSvm{0.1}), Loss(Hinge{})}) {
    PlanInput input = input_of(one, {.epsilon = 1}, 60);
    input.problem.loss = asked;
    const Loss loss = std::get<MinimiserWork>(Output{}.plan(input).work.way).loss;
    const double sensitivity = Output{}.plan(input).l2_sensitivity;
    const double apart = gap(one, other, loss, 60, 2e-4);
    EXPECT_LE(apart, sensitivity);
    EXPECT_GE(apart, 0.99 * sensitivity);
    PlanInput added = input;
    added.budget.relation = Relation::add_remove;
    const double half = Output{.declared_rows = one.facts.rows}.plan(added).l2_sensitivity;
    RowTable without = lone_row(0);
    EXPECT_LE(gap(one, without, loss, 60, 2e-4), half);
    EXPECT_GE(gap(one, without, loss, 60, 2e-4), 0.99 * half);
  }
}

TEST(OutputNeighbours, RandomAndAdversarialPairsStayWithinTheSensitivity) {
  std::mt19937_64 random(8);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 200; ++trial) {
    const bool softmax = trial % 3 == 0;
    const std::uint32_t classes = softmax || trial % 5 == 0 ? 3 : 2;
    const Loss margins[] = {Logistic{}, HuberSvm{0.1}, Hinge{}};
    const Loss loss = softmax ? Loss(Softmax{}) : margins[trial % 7 % 3];
    RowTable one(2, classes), other(2, classes);
    const double c = 0.3 * static_cast<double>(trial % 4), s = std::sqrt(1 - c * c);
    const auto label = [&] {
      return classes == 2 ? (random() % 2 == 0 ? 1.0 : -1.0) : static_cast<double>(random() % 3);
    };
    one.add({-c, s}, label());
    other.add(trial % 2 == 0 ? std::vector<double>{-c, -s} : std::vector<double>{normal(random), 1}, label());
    for (int i = 0; i < 30; ++i) {
      const std::vector<double> x =
          trial % 4 == 0 ? std::vector<double>{1, 0} : std::vector<double>{normal(random), normal(random)};
      const double y = trial % 4 == 0 ? 1 : label();
      one.add(x, y);
      other.add(x, y);
    }
    const double curvature = trial % 2 == 0 ? 0.1 : 2;
    const PlanInput input{one.facts, {loss, curvature / 31}, {.epsilon = 1}};
    const double sensitivity = Output{}.plan(input).l2_sensitivity;
    const double apart = gap(one, other, std::get<MinimiserWork>(Output{}.plan(input).work.way).loss, curvature, 2e-4);
    EXPECT_LE(apart, sensitivity) << name_of(loss) << ' ' << trial;
  }
}

}  // namespace
}  // namespace sotto::test
