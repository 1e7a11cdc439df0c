#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sotto/base/error.h"
#include "sotto/privacy/accountant/curve.h"
#include "sotto/privacy/accountant/filter.h"
#include "sotto/privacy/accountant/pld.h"
#include "sotto/privacy/accountant/report.h"
#include "sotto/privacy/accountant/solve.h"
#include "sotto/privacy/gaussian.h"

namespace sotto {
namespace {

constexpr Relation kReplace = Relation::replace_one;
constexpr Relation kAddRemove = Relation::add_remove;

TEST(AccountantReport, NamesTheTightestAndShowsTheOthers) {
  const AccountReport report = account_epsilon(repeat(PoissonSampledEvent{0.01, 1}, 1000), kAddRemove, 1e-5);
  EXPECT_EQ(report.tightest, AccountantChoice::pld);
  EXPECT_NEAR(report.value.upper, 1.828, 1e-3);
  ASSERT_EQ(report.lines.size(), 5u);
  EXPECT_NEAR(report.line(AccountantChoice::rdp).value->upper, 2.1013, 1e-3);
  EXPECT_FALSE(report.line(AccountantChoice::gdp).value);
  EXPECT_NE(report.line(AccountantChoice::gdp).refused.find("approximation"), std::string::npos);
}

TEST(AccountantReport, EachKindOfPlanHasItsOwnTightestAccountant) {
  EXPECT_EQ(account_epsilon(repeat(GaussianEvent{0.1}, 10), kReplace, 1e-6).tightest, AccountantChoice::gdp);
  EXPECT_EQ(account_epsilon(PureEvent{0.1}, kReplace, 0).tightest, AccountantChoice::pure);
  EXPECT_EQ(account_epsilon(repeat(DiscreteGaussianEvent{0.01}, 10), kReplace, 1e-6).tightest, AccountantChoice::zcdp);
  EXPECT_EQ(account_epsilon(select_best(GaussianEvent{0.1}, PoissonRuns{5}), kReplace, 1e-6).tightest,
            AccountantChoice::rdp);
  EXPECT_EQ(account_delta(repeat(PureEvent{0.1}, 100), kReplace, 3).tightest, AccountantChoice::pld);
}

TEST(AccountantReport, WhatNoAccountantTreatsIsRefused) {
  EXPECT_THROW(account_epsilon(WithReplacementEvent{0.1, 1, 3}, kReplace, 1e-6), Error);
  EXPECT_THROW(account_epsilon(FixedSizeSampledEvent{0.1, 1}, kAddRemove, 1e-6), Error);
  EXPECT_THROW(account_epsilon(GaussianEvent{1}, kReplace, 1e-6, AccountantChoice::pure), Error);
  EXPECT_THROW(account_epsilon(GaussianEvent{1}, kReplace, 0), Error) << "no pure promise";
  EXPECT_THROW(account_epsilon(repeat(PoissonSampledEvent{0.1, 1}, 5), kAddRemove, 0), Error);
  EXPECT_THROW(account_epsilon(ApproximateEvent{1, 1e-6}, kReplace, 0), Error);
}

TEST(AccountantReport, RelationsAreNotConfused) {
  const ReleasePlan plan{.rate = 1, .noise = 10, .steps = 100};
  EXPECT_NEAR(account_epsilon(plan.event(kAddRemove), kAddRemove, 1e-5).value.upper, 4.3771781, 1e-6);
  EXPECT_NEAR(account_epsilon(plan.event(kReplace), kReplace, 1e-5).value.upper,
              account_epsilon(GaussianEvent{2}, kReplace, 1e-5).value.upper, 1e-9);
  const ReleasePlan sampled{.rate = 0.01, .noise = 1, .steps = 1000};
  EXPECT_EQ(sampled.event(kAddRemove), sampled.event(kReplace)) << "the accountant applies the relation";
  const ReleasePlan shuffled{.sampling = Sampling::none, .rate = 0.01, .noise = 1};
  EXPECT_THROW(shuffled.event(kReplace), Error) << "no amplification by shuffling";
}

/// The message of what is refused; empty if it is not.
std::string refusal(const ReleasePlan& plan) {
  try {
    plan.event(kReplace);
    return "";
  } catch (const Error& e) {
    EXPECT_TRUE(e.kind() == ErrorKind::unsupported || e.kind() == ErrorKind::invalid_argument);
    return e.what();
  }
}

TEST(AccountantReport, DrawsWithReplacementAreAskedForAndOnlyOneHasAProof) {
  ReleasePlan plan{.sampling = Sampling::with_replacement, .rate = 0.1, .noise = 2};
  EXPECT_NE(refusal(plan).find("draws: must be given"), std::string::npos) << refusal(plan);
  for (const std::uint64_t draws : {0, 2, 10, 100}) {
    plan.draws = draws;
    EXPECT_NE(refusal(plan).find("only one draw with replacement has a proof"), std::string::npos) << draws;
  }
  plan.draws = 1;
  EXPECT_EQ(event_text(plan.event(kReplace)), "with_replacement_sampled(noise=2, rate=0.1, draws=1)");
  // One row of ten, 2.18169 to 2.18171 by the normal tails of (1 - q) N(0) + q N(2) against N(0).
  EXPECT_NEAR(account_epsilon(plan.event(kReplace), kReplace, 1e-6).value.upper, 2.1817, 1e-4);
  for (const Sampling other : {Sampling::none, Sampling::poisson, Sampling::fixed}) {
    EXPECT_NE(refusal({.sampling = other, .noise = 2, .draws = 1}), "") << "draws are for with_replacement";
  }
}

TEST(AccountantReport, ARateWithReplacementIsOneOverANumberOfRows) {
  ReleasePlan plan{.sampling = Sampling::with_replacement, .noise = 2, .draws = 1};
  for (const double rows : {1.0, 2.0, 3.0, 7.0, 10.0, 49.0, 1e4, 999983.0, 1e9}) {
    plan.rate = 1 / rows;
    EXPECT_EQ(refusal(plan), "") << rows;
  }
  for (const double rate : {0.3, 0.15, 0.333, 2.0 / 3, 0.99}) {
    plan.rate = rate;
    EXPECT_NE(refusal(plan).find("1 over a whole number of rows"), std::string::npos) << rate;
  }
}

TEST(AccountantSolve, ARateWithReplacementIsFoundAmongTheWholeNumbersOfRows) {
  ReleasePlan plan{.sampling = Sampling::with_replacement, .noise = 1, .steps = 50, .draws = 1};
  const Target target{1, 1e-5, kReplace};
  plan.rate = rate_for(plan, target);
  const double rows = std::round(1 / plan.rate);
  EXPECT_EQ(plan.rate, 1 / rows);
  EXPECT_LE(account_epsilon(plan.event(kReplace), kReplace, target.delta).value.upper, target.epsilon);
  plan.rate = 1 / std::floor(rows * 0.99);
  EXPECT_GT(account_epsilon(plan.event(kReplace), kReplace, target.delta).value.upper, target.epsilon);
}

TEST(AccountantReport, PartsByPositionHaveNoPriceWhereARowIsRemoved) {
  const std::vector<Event> fifty(50, GaussianEvent{0.1});
  const Event position = parallel(fifty, PartBy::position), key = parallel(fifty, PartBy::key);
  EXPECT_NEAR(account_epsilon(position, kReplace, 1e-6).value.upper, 0.396857, 1e-5);
  for (const Relation relation : {kReplace, kAddRemove}) {
    EXPECT_NEAR(account_epsilon(key, relation, 1e-6).value.upper, 0.396857, 1e-5);
  }
  const Event wraps[] = {position,
                         repeat(position, 3),
                         sequence({GaussianEvent{1}, position}),
                         one_of({position, key}),
                         parallel({position, position}, PartBy::key),
                         select_best(position, PoissonRuns{3})};
  for (const Event& event : wraps) {
    for (const auto& [name, only] : enum_names(AccountantChoice{})) {
      EXPECT_THROW(account_epsilon(event, kAddRemove, 1e-6, only), Error) << name << " " << event_text(event);
      EXPECT_THROW(account_delta(event, kAddRemove, 1, only), Error) << name << " " << event_text(event);
    }
    for (const auto& [name, kind] : enum_names(FilterKind{})) {
      EXPECT_THROW(Filter::open(kind, {5, 1e-3, kAddRemove}).cost_of(event), Error) << name;
    }
    EXPECT_THROW(privacy_profile(event, kAddRemove, 2, 5), Error);
  }
  try {
    account_epsilon(position, kAddRemove, 1e-6);
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("removing a row moves every later row"), std::string::npos) << e.what();
  }
}

TEST(AccountantReport, PartsByPositionInsidePartsByValueHaveNoPriceEither) {
  const Event inner = parallel({GaussianEvent{0.1}, GaussianEvent{0.2}}, PartBy::position);
  EXPECT_THROW(account_epsilon(parallel({inner, inner}, PartBy::value), kReplace, 1e-6), Error)
      << "a row that changes its part by value is removed from one and added to the other";
}

/// Both questions, as `account` answers them; no slack.
void expect_kept(const ReleasePlan& plan, const Target& target, AccountantChoice only = AccountantChoice::automatic) {
  const Event event = plan.event(target.relation);
  const std::string what = event_text(event);
  EXPECT_LE(account_epsilon(event, target.relation, target.delta, only).value.upper, target.epsilon) << what;
  EXPECT_LE(account_delta(event, target.relation, target.epsilon, only).value.upper, target.delta) << what;
}

TEST(AccountantSolve, EveryParameterOfEveryMechanismIsOnThePrivateSideOfBothQuestions) {
  const ReleasePlan plans[] = {{.rate = 0.01, .steps = 100},
                               {.mechanism = PlanNoise::laplace, .rate = 0.1, .steps = 20},
                               {.mechanism = PlanNoise::discrete_laplace, .rate = 0.1, .steps = 20},
                               {.sampling = Sampling::fixed, .rate = 0.02, .steps = 50},
                               {.sampling = Sampling::with_replacement, .rate = 0.02, .steps = 50, .draws = 1},
                               {.mechanism = PlanNoise::gaussian, .sampling = Sampling::none, .steps = 30},
                               {.mechanism = PlanNoise::laplace, .sampling = Sampling::none, .steps = 30},
                               {.mechanism = PlanNoise::l2_laplace, .sampling = Sampling::none, .steps = 30},
                               {.mechanism = PlanNoise::discrete_laplace, .sampling = Sampling::none, .steps = 30},
                               {.mechanism = PlanNoise::discrete_gaussian, .sampling = Sampling::none, .steps = 30}};
  for (const Relation relation : {kAddRemove, kReplace}) {
    const Target target{1, 1e-5, relation};
    for (ReleasePlan plan : plans) {
      const bool fixed = plan.sampling == Sampling::fixed || plan.sampling == Sampling::with_replacement;
      if (fixed && relation == kAddRemove) continue;
      plan.noise = noise_for(plan, target);
      expect_kept(plan, target);
      plan.noise *= 1.1;
      plan.steps = steps_for(plan, target);
      expect_kept(plan, target);
      if (plan.sampling != Sampling::none) {
        plan.steps = plan.steps / 2 + 1;
        plan.rate = rate_for(plan, target);
        expect_kept(plan, target);
      }
      expect_kept(plan, {epsilon_for(plan, target), target.delta, relation});
      expect_kept(plan, {target.epsilon, delta_for(plan, target), relation});
    }
  }
  const Target target{1, 1e-5, kReplace};
  ReleasePlan plan{.rate = 0.01, .steps = 1000};
  for (const AccountantChoice only : {AccountantChoice::rdp, AccountantChoice::pld}) {
    plan.noise = noise_for(plan, target, only);
    expect_kept(plan, target, only);
  }
}

TEST(AccountantSolve, NoiseIsOnThePrivateSideAndTight) {
  for (const Relation relation : {kAddRemove, kReplace}) {
    ReleasePlan plan{.rate = 0.01, .steps = 1000};
    plan.noise = noise_for(plan, {1, 1e-5, relation});
    expect_kept(plan, {1, 1e-5, relation});
    plan.noise *= 0.999;
    EXPECT_GT(pld_delta(plan.event(relation), relation, 1).upper, 1e-5);
  }
}

TEST(AccountantSolve, PublishedNoises) {
  const auto noise = [](double rate, std::uint64_t steps, double epsilon, double delta) {
    return noise_for({.rate = rate, .steps = steps}, {epsilon, delta, kAddRemove});
  };
  EXPECT_NEAR(noise(1, 1, 1, 6.486452831e-47), 14, 2e-3);
  EXPECT_NEAR(noise(1, 1, std::numbers::ln10_v<double> * std::log10(3.0), 1e-5), 3.4246624, 4e-4);
  EXPECT_GE(noise(1, 1, std::log(3.0), 1e-5), 3.4246624 * (1 - 1e-9));
  EXPECT_NEAR(noise(0.01, 1, 1, 1e-5), 0.6737928925, 1e-4);
  EXPECT_LE(noise(0.04, 2000, 8, 1e-5), 1.2915);
  EXPECT_NEAR(noise_for({.mechanism = PlanNoise::laplace, .steps = 20}, {1, 1e-4, kAddRemove}), 13.6, 0.1);
  EXPECT_NEAR(1 / noise_for({.mechanism = PlanNoise::discrete_laplace, .steps = 20}, {1, 1e-4, kAddRemove}), 0.073,
              1e-3);
  EXPECT_NEAR(noise_for({.mechanism = PlanNoise::l2_laplace, .steps = 4}, {2, 0, kAddRemove}), 2, 1e-3);
}

TEST(AccountantSolve, StepsAndRateInvertTheNoise) {
  const Target target{2, 1e-6, kAddRemove};
  ReleasePlan plan{.rate = 0.02, .noise = 1.1};
  plan.steps = steps_for(plan, target);
  expect_kept(plan, target);
  EXPECT_NEAR(rate_for(plan, target) / 0.02, 1, 0.01);
  EXPECT_NEAR(noise_for(plan, target) / 1.1, 1, 0.005);
  plan.steps += 1 + plan.steps / 1000;
  EXPECT_GT(pld_delta(plan.event(kAddRemove), kAddRemove, 2, 1e-4).upper, 1e-6);
  EXPECT_THROW(steps_for({.rate = 1, .noise = 0.1}, target), Error);
}

TEST(AccountantCurve, TradeOffOfAGaussianIsItsClosedForm) {
  const auto profile = privacy_profile(repeat(GaussianEvent{1 / std::sqrt(3.0)}, 3), kAddRemove, 6, 601);
  const double alphas[] = {0.001, 0.1, 0.5, 0.9};
  const double exact[] = {0.9817, 1 - 0.3891436916, 0.1586552539, 0.0112};
  const auto curve = trade_off(profile, alphas);
  EXPECT_NEAR(1 - curve[1].beta, 0.38914, 1e-3);
  EXPECT_NEAR(curve[2].beta, exact[2], 1e-3);
  for (std::size_t i = 0; i < curve.size(); ++i) EXPECT_LE(curve[i].beta, exact[i] + 1e-4);
}

TEST(AccountantCurve, TheFileHoldsTheProfile) {
  const auto profile = privacy_profile(GaussianEvent{1}, kReplace, 2, 3);
  const std::string csv = profile_csv(profile);
  EXPECT_EQ(csv.rfind("epsilon,delta_lower,delta_upper\n0,0.38", 0), 0u) << csv;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4);
}

}  // namespace
}  // namespace sotto
