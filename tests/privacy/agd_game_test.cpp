// The distinguishing game for dp_agd and majority: right calibrations stay below their claim, and rows four times as
// long as the claim they are calibrated to (noise four times too small) are flagged.
#include <gtest/gtest.h>

#include <cmath>

#include "game_score.h"
#include "planned.h"
#include "sotto/methods/dp_agd.h"
#include "sotto/methods/majority.h"
#include "sotto/privacy/gaussian.h"
#include "test_rows.h"

namespace sotto::test {
namespace {

/// Zero rows but for the first, along or against the first axis.
Rows lone_row(double value, double length = 1) {
  Rows rows(30, 1, length);
  rows.set(0, {{value * length}, 1});
  return rows;
}

/// A row +1 pulls the weight up, a row -1 down: told when it is positive.
template <class Method>
Score play(const Method& method, const Budget& budget, double length) {
  const Rows first = lone_row(1, length), second = lone_row(-1, length);
  const PlanInput input{TableEngine(first, 1.0).facts(), {Hinge{}, 0}, budget};
  const Plan plan = method.plan(input);
  const auto game = [&](bool other, BitSource& bits) {
    TableEngine engine(other ? second : first, 1.0);
    Curator curator(bits);
    return charge_and_run(plan, engine, curator)[0] > 0 ? 1.0 : 0.0;
  };
  return test::play(game, 400, 1, 21);
}

TEST(Game, DpAgdStaysBelowTheMuOfItsAllowance) {
  const Budget budget{4, 1e-2};
  const DpAgd method{.splits = 1, .step_candidates = 1, .largest_step = 0.5};
  const double mu = std::sqrt(2 * zcdp_rho(4, 1e-2));
  const Score score = play(method, budget, 1);
  EXPECT_LE(score.mu(), mu);
  EXPECT_GE(score.mu(), 0.3 * mu) << "the game has no power";
  EXPECT_GT(play(method, budget, 4).mu(), mu) << "a clip that does not hold must be seen";
}

TEST(Game, MajorityStaysBelowItsEpsilon) {
  // One row more of class +1; told when the noisy counts favour it.
  Rows with(3, 1), without(3, 1);
  with.set(0, {{1}, 1});
  const PlanInput input{with.facts(), {Logistic{}, 0}, {1, 0, Relation::add_remove}};
  const Plan plan = Majority{}.plan(input);
  const auto game = [&](bool other, BitSource& bits) {
    TableEngine engine(other ? without : with);
    Curator curator(bits);
    return charge_and_run(plan, engine, curator)[0] > std::log(2.0) ? 1.0 : 0.0;
  };
  const Score score = test::play(game, 4000, 1, 22);
  EXPECT_LE(score.epsilon(), 1);
  EXPECT_GE(score.epsilon(), 0.2) << "the game has no power";
}

}  // namespace
}  // namespace sotto::test
