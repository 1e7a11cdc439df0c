// An independent, forward implementation of the sensitivity: for one choice of the step that sees the differing row in
// every pass, the distance of the two runs is carried from step to step and averaged as the release is. The bound is
// its maximum over those choices.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "sotto/optim/sensitivity.h"

namespace sotto {
namespace {

constexpr double kD = 2;  // replace_one, rows of norm 1

double simulate(const Recipe& recipe, std::uint64_t steps, double beta, const std::vector<std::uint64_t>& hits) {
  double delta = 0, released = 0;
  for (std::uint64_t t = 1; t <= steps; ++t) {
    const double eta = recipe.step(t);
    const double expand_low = std::abs(1 - eta * recipe.lambda),
                 expand_high = std::abs(1 - eta * (beta + recipe.lambda));
    delta *= std::max(expand_low, expand_high);
    if (std::find(hits.begin(), hits.end(), t) != hits.end())
      delta += kD * eta / static_cast<double>(recipe.batch_rows);
    released += averaging_weight(recipe.averaging, t, steps) * delta;
  }
  return released;
}

/// Fixed order: the same position in every pass. Fresh: passes add up, so each pass takes its own worst position.
double brute_force(const Recipe& recipe, std::uint64_t rows, double beta) {
  const std::uint64_t n = recipe.steps_per_pass(rows), steps = recipe.steps(rows);
  double worst = 0, sum_of_worst = 0;
  for (std::uint32_t pass = 0; pass < recipe.passes; ++pass) {
    double worst_here = 0;
    for (std::uint64_t s = 1; s <= n; ++s)
      worst_here = std::max(worst_here, simulate(recipe, steps, beta, {pass * n + s}));
    sum_of_worst += worst_here;
  }
  for (std::uint64_t s = 1; s <= n; ++s) {
    std::vector<std::uint64_t> hits;
    for (std::uint32_t pass = 0; pass < recipe.passes; ++pass) hits.push_back(pass * n + s);
    worst = std::max(worst, simulate(recipe, steps, beta, hits));
  }
  return recipe.fresh_order ? sum_of_worst : worst;
}

TEST(Sensitivity, EqualsAnIndependentForwardSimulationForRandomRecipes) {
  std::mt19937_64 random(20170514);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const Averaging averagings[] = {Averaging::last, Averaging::uniform, Averaging::last_log, Averaging::weighted};
  for (int trial = 0; trial < 300; ++trial) {
    const std::uint64_t rows = 1 + random() % 25;
    Recipe recipe;
    const Loss losses[] = {Logistic{}, HuberSvm{uniform(0.05, 3)}, RobustLogistic{}};
    recipe.loss = losses[random() % 3];
    recipe.lambda = random() % 3 == 0 ? 0 : uniform(0.01, 0.8);
    recipe.step = {uniform(0.3, 4), uniform(0.1, 3), uniform(0.1, 2), static_cast<StepRule::Growth>(random() % 3)};
    recipe.batch_rows = 1 + random() % 8;
    recipe.passes = static_cast<std::uint32_t>(1 + random() % 4);
    recipe.averaging = averagings[random() % 4];
    recipe.fresh_order = random() % 2 == 0;
    const Facts facts{rows, 5, 1.0, false};
    const double beta = constants_of(recipe.loss, stored_norm(facts)).smoothness;
    const Sensitivity bound = l2_sensitivity(recipe, facts, kD);
    const double expected = brute_force(recipe, rows, beta);
    EXPECT_NEAR(bound.total - bound.rounding, expected, 1e-11 * expected) << "trial " << trial;
    EXPECT_GE(bound.total, expected) << "trial " << trial;
  }
}

}  // namespace
}  // namespace sotto
