// The distinguishing game: with noise on, can the released number tell two neighbouring tables apart better than the
// claim allows? Thresholds come from theory, so that nothing is searched. Right calibrations stay below their claim, broken ones are flagged.
#include <gtest/gtest.h>

#include <functional>

#include "game_score.h"
#include "planned.h"
#include "sotto/methods/bolt_on.h"
#include "sotto/methods/scs13.h"
#include "sotto/privacy/curator.h"
#include "sotto/privacy/gaussian.h"
#include "test_rows.h"

namespace sotto::test {
namespace {

constexpr std::uint64_t kRows = 200;

/// One column; all rows are zero but the first, +1 against -1. In the linear part of the loss the sensitivity is
/// reached.
Rows table(double value) {
  Rows rows(kRows, 1);
  rows.set(0, {{value}, 1});
  return rows;
}

PlanInput input_of(const Budget& budget, double lambda) {
  return {{kRows, 1, 1.0, false}, {HuberSvm{0.1}, lambda}, budget};
}

/// The order that puts the differing row into the last batch, where steps are not capped.
Feeding last_batch() { return {{order_with(stored_order(kRows), 0, kRows - 1)}, kRows, false}; }

/// Bolt-on: train once on each side, release many times. `shrink` multiplies the noise of the mechanism drawn from.
struct BoltOnGame {
  Plan plan;
  double shrink = 1;
  std::uint64_t games = 10000;

  Score play(double place, std::uint64_t seed) const {
    const double first = run(recipe_of(plan), table(1), last_batch())[0];
    const double second = run(recipe_of(plan), table(-1), last_batch())[0];
    EXPECT_GT(first, second);
    const auto game = [&](bool other, BitSource& bits) { return release(other ? second : first, bits); };
    return test::play(game, games, second + place * (first - second), seed);
  }

 private:
  double release(double value, BitSource& bits) const {
    Curator curator(bits);
    curator.charge(plan.charges.front());
    // Noise shrunk around the value is what a mechanism with a smaller scale would add.
    const double released = curator.release(Sensitive<Vector>(Vector{value}), plan.noise->mechanism)[0];
    return value + shrink * (released - value);
  }
};

SgdOptions strongly_convex() { return {.passes = 5, .batch_rows = 50}; }

Plan bolt_on(MechanismChoice mechanism, const Budget& budget, Calibration calibration = Calibration::corrected) {
  const BoltOn method{.sgd = strongly_convex(), .mechanism = mechanism, .calibration = calibration};
  return method.plan(input_of(budget, 0.5));
}

// At the centre of the first law a Laplace release is told half the time, and exp(-epsilon)/2 on the other side.
constexpr double kLaplaceThreshold = 1.0;
// Half way a Gaussian release is told Phi(mu/2) against Phi(-mu/2).
constexpr double kGaussianThreshold = 0.5;

TEST(Game, BoltOnLaplaceStaysBelowItsEpsilon) {
  for (const MechanismChoice choice : {MechanismChoice::l2_laplace, MechanismChoice::discrete_laplace}) {
    const Score score = BoltOnGame{.plan = bolt_on(choice, {.epsilon = 1})}.play(kLaplaceThreshold, 1);
    EXPECT_LE(score.epsilon(), 1);
    EXPECT_GE(score.epsilon(), 0.8) << "the noise is larger than it need be, or the game has no power";
  }
}

TEST(Game, BoltOnGaussianStaysBelowItsMu) {
  const Plan plan = bolt_on(MechanismChoice::gaussian, {.epsilon = 4, .delta = 1e-2});
  const double mu = gaussian_mu(4, 1e-2);
  const Score score = BoltOnGame{.plan = plan}.play(kGaussianThreshold, 2);
  EXPECT_LE(score.mu(), mu);
  EXPECT_GE(score.mu(), 0.85 * mu);
  EXPECT_LE(score.epsilon(1e-2), 4);
}

TEST(Game, BoltOnDiscreteGaussianStaysBelowItsRho) {
  const Plan plan = bolt_on(MechanismChoice::discrete_gaussian, {.epsilon = 4, .delta = 1e-2});
  const double mu = std::sqrt(2 * zcdp_rho(4, 1e-2));
  const Score score = BoltOnGame{.plan = plan}.play(kGaussianThreshold, 3);
  EXPECT_LE(score.mu(), mu);
  EXPECT_GE(score.mu(), 0.85 * mu);
}

TEST(Game, HalvedNoiseIsFlagged) {
  for (const MechanismChoice choice : {MechanismChoice::l2_laplace, MechanismChoice::discrete_laplace}) {
    const BoltOnGame game{.plan = bolt_on(choice, {.epsilon = 1}), .shrink = 0.5};
    EXPECT_GT(game.play(kLaplaceThreshold, 4).epsilon(), 1);
  }
  const BoltOnGame gaussian{.plan = bolt_on(MechanismChoice::gaussian, {.epsilon = 4, .delta = 1e-2}), .shrink = 0.5};
  EXPECT_GT(gaussian.play(kGaussianThreshold, 5).mu(), gaussian_mu(4, 1e-2));
}

TEST(Game, ThePublishedCalibrationIsFlagged) {
  const Plan published = bolt_on(MechanismChoice::l2_laplace, {.epsilon = 1}, Calibration::published);
  EXPECT_GT(BoltOnGame{.plan = published}.play(kLaplaceThreshold, 6).epsilon(), 4);
  const Plan gaussian = bolt_on(MechanismChoice::gaussian, {.epsilon = 4, .delta = 1e-2}, Calibration::published);
  EXPECT_GT(BoltOnGame{.plan = gaussian}.play(kGaussianThreshold, 7).mu(), 2 * gaussian_mu(4, 1e-2));
}

/// The batch sums as they leave scs13: noised by the curator and kept for the attacker, who may see every iterate.
class Overheard final : public StepNoise {
 public:
  explicit Overheard(NoisySums sums) : sums_(std::move(sums)) {}
  void perturb(std::span<double> batch_sum) noexcept override {
    sums_.perturb(batch_sum);
    heard.push_back(batch_sum[0]);
  }
  std::vector<double> heard;

 private:
  NoisySums sums_;
};

/// Scs13: the whole training in every game; the attacker looks at the sums of the batch that holds the row.
struct Scs13Game {
  Plan plan;
  std::function<bool(const std::vector<double>&)> told;  ///< of the noised sums of that batch, one per pass
  std::uint64_t games = 4000;

  Score play(std::uint64_t seed) const {
    const Rows first = table(1), second = table(-1);
    const auto game = [&](bool other, BitSource& bits) {
      return told(listen(other ? second : first, bits)) ? 1.0 : 0.0;
    };
    return test::play(game, games, 1, seed);
  }

 private:
  std::vector<double> listen(const Rows& rows, BitSource& bits) const {
    Curator curator(bits);
    curator.charge(plan.charges.front());
    Overheard noise(curator.step_noise(plan.noise->mechanism, plan.charges.front().draws()));
    run(recipe_of(plan), rows, {{}, kRows, false}, &noise);
    std::vector<double> mine;  // the row is first in the stored order: batch 0 of every pass
    for (std::size_t t = 0; t < noise.heard.size(); t += recipe_of(plan).steps_per_pass(kRows))
      mine.push_back(noise.heard[t]);
    return mine;
  }
};

Plan scs13(std::uint32_t passes, MechanismChoice mechanism, const Budget& budget) {
  Scs13 method{.mechanism = mechanism};
  method.sgd.passes = passes;
  method.sgd.batch_rows = 50;
  method.sgd.step = ConstantStep{1e-3};  // the weights hardly move, so that the loss stays in its linear part
  method.sgd.order = RowOrder::stored;
  return method.plan(input_of(budget, 0));
}

// A row +1 pulls its batch sum to -1, a row -1 to +1: told when every pass lies beyond the centre of the first law.
bool all_beyond(const std::vector<double>& sums) {
  return std::all_of(sums.begin(), sums.end(), [](double s) { return s <= -1; });
}
bool mean_below_zero(const std::vector<double>& sums) { return std::accumulate(sums.begin(), sums.end(), 0.0) <= 0; }

TEST(Game, Scs13LaplaceStaysBelowItsEpsilonForOneAndForFivePasses) {
  const Score one = Scs13Game{scs13(1, MechanismChoice::l2_laplace, {.epsilon = 1}), all_beyond}.play(8);
  EXPECT_LE(one.epsilon(), 1);
  EXPECT_GE(one.epsilon(), 0.7);
  const Score five = Scs13Game{scs13(5, MechanismChoice::l2_laplace, {.epsilon = 1}), all_beyond}.play(9);
  EXPECT_LE(five.epsilon(), 1);
}

TEST(Game, Scs13GaussianStaysBelowItsMuForOneAndForFivePasses) {
  const double mu = gaussian_mu(4, 1e-2);
  for (const std::uint32_t passes : {1U, 5U}) {
    const Plan plan = scs13(passes, MechanismChoice::gaussian, {.epsilon = 4, .delta = 1e-2});
    const Score score = Scs13Game{plan, mean_below_zero}.play(10 + passes);
    EXPECT_LE(score.mu(), mu);
    EXPECT_GE(score.mu(), 0.8 * mu);
  }
}

/// Five passes of which each spends the whole budget: composition forgotten.
Plan uncomposed(MechanismChoice mechanism, const Budget& budget) {
  Plan plan = scs13(5, mechanism, budget);
  plan.noise->mechanism = scs13(1, mechanism, budget).noise->mechanism;
  plan.charges.front().event = event_of(plan.noise->mechanism);
  return plan;
}

TEST(Game, FivePassesAtFullEpsilonEachAreFlagged) {
  EXPECT_GT((Scs13Game{uncomposed(MechanismChoice::l2_laplace, {.epsilon = 1}), all_beyond}.play(16).epsilon()), 1);
  const Budget budget{.epsilon = 4, .delta = 1e-2};
  EXPECT_GT((Scs13Game{uncomposed(MechanismChoice::gaussian, budget), mean_below_zero}.play(17).mu()),
            1.5 * gaussian_mu(4, 1e-2));
}

}  // namespace
}  // namespace sotto::test
