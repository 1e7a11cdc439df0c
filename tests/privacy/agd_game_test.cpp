// The distinguishing game for dp_agd and majority: right calibrations stay below their claim, and rows four times as
// long as the claim they are calibrated to (noise four times too small) are flagged.
#include <gtest/gtest.h>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/normal.hpp>
#include <functional>

#include "sotto/methods/dp_agd.h"
#include "sotto/methods/majority.h"
#include "sotto/privacy/gaussian.h"
#include "table_engine.h"

namespace sotto::test {
namespace {

constexpr double kAlpha = 0.0005;  // one side; two intervals together 99.9 percent

double lower(double hits, double games) {
  return hits == 0 ? 0.0 : quantile(boost::math::beta_distribution<>(hits, games - hits + 1), kAlpha);
}
double upper(double hits, double games) {
  return hits == games ? 1.0 : quantile(boost::math::beta_distribution<>(hits + 1, games - hits), 1 - kAlpha);
}

struct Score {
  double games = 0, on_first = 0, on_second = 0;
  double epsilon() const { return std::log(lower(on_first, games) / upper(on_second, games)); }
  double mu() const {
    const boost::math::normal_distribution<> normal;
    return quantile(normal, lower(on_first, games)) - quantile(normal, upper(on_second, games));
  }
};

/// Zero rows but for the first, along or against the first axis.
Rows lone_row(double value, double length = 1) {
  Rows rows(30, 1, length);
  rows.set(0, {{value * length}, 1});
  return rows;
}

template <class Method>
Score play(const Method& method, const Budget& budget, double length, int games,
           const std::function<bool(const Vector&)>& told) {
  const Rows first = lone_row(1, length), second = lone_row(-1, length);
  TableEngine engines[] = {TableEngine(first, 1.0), TableEngine(second, 1.0)};
  const PlanInput input{engines[0].facts(), {Hinge{}, 0}, budget};
  const Plan plan = method.plan(input);
  BitSource bits(ReproducibleSeed{21});
  Score score{static_cast<double>(games), 0, 0};
  for (int i = 0; i < games; ++i) {
    for (TableEngine& engine : engines) {
      Curator curator(bits);
      for (const Charge& charge : plan.charges) curator.charge(charge);
      const bool hit = told(method.run({engine, curator, input, [](double) {}}));
      (&engine == engines ? score.on_first : score.on_second) += hit;
    }
  }
  return score;
}

// A row +1 pulls the weight up, a row -1 down.
bool positive(const Vector& w) { return w[0] > 0; }

TEST(Game, DpAgdStaysBelowTheMuOfItsAllowance) {
  const Budget budget{4, 1e-2};
  const DpAgd method{.splits = 1, .step_candidates = 1, .largest_step = 0.5};
  const double mu = std::sqrt(2 * zcdp_rho(4, 1e-2));
  const Score score = play(method, budget, 1, 400, positive);
  EXPECT_LE(score.mu(), mu);
  EXPECT_GE(score.mu(), 0.3 * mu) << "the game has no power";
  EXPECT_GT(play(method, budget, 4, 400, positive).mu(), mu) << "a clip that does not hold must be seen";
}

TEST(Game, MajorityStaysBelowItsEpsilon) {
  // One row more of class +1; told when the noisy counts favour it.
  Rows with(3, 1), without(3, 1);
  with.set(0, {{1}, 1});
  BitSource bits(ReproducibleSeed{22});
  const PlanInput input{with.facts(), {Logistic{}, 0}, {1, 0, Relation::add_remove}};
  const Plan plan = Majority{}.plan(input);
  Score score{4000, 0, 0};
  for (int i = 0; i < 4000; ++i) {
    for (const Rows* rows : {&with, &without}) {
      TableEngine engine(*rows);
      Curator curator(bits);
      curator.charge(plan.charges.at(0));
      const bool hit = Majority{}.run({engine, curator, input, [](double) {}})[0] > std::log(2.0);
      (rows == &with ? score.on_first : score.on_second) += hit;
    }
  }
  EXPECT_LE(score.epsilon(), 1);
  EXPECT_GE(score.epsilon(), 0.2) << "the game has no power";
}

}  // namespace
}  // namespace sotto::test
