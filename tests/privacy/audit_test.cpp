// The audit's own arithmetic: bounds that cover, an accountant that agrees with the library's, guesses that count.
#include "sotto/audit/audit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "sotto/audit/museum.h"
#include "sotto/audit/one_run.h"
#include "sotto/audit/replay.h"
#include "sotto/audit/samplers.h"
#include "sotto/audit/tiny_accountant.h"
#include "sotto/audit/trade_off.h"
#include "sotto/privacy/accountant/pld.h"
#include "sotto/privacy/gaussian.h"

namespace sotto::audit {
namespace {

TEST(Evidence, LowerBoundsCoverTheTruthAsOftenAsTheySay) {
  std::mt19937_64 random(5);
  const double p = 0.5, q = 0.5 * std::exp(-1.0);  // epsilon 1 exactly
  std::binomial_distribution<int> first(500, p), second(500, q);
  int wrong = 0;
  for (int i = 0; i < 2000; ++i) {
    const Tally tally{500, static_cast<double>(first(random)), static_cast<double>(second(random))};
    wrong += epsilon_lower(tally, 0, 0.05) > 1;
  }
  EXPECT_LE(wrong, 100);
}

TEST(Evidence, ManyGamesComeCloseToTheTruth) {
  const Tally tally{1e6, 5e5, 5e5 * std::exp(-1.0)};
  EXPECT_GT(epsilon_lower(tally, 0, 1e-3), 0.98);
  EXPECT_LT(epsilon_lower(tally, 0, 1e-3), 1);
  const Tally normal{1e6, 1e6 * 0.5 * std::erfc(-0.5 / std::sqrt(2.0)), 1e6 * 0.5 * std::erfc(0.5 / std::sqrt(2.0))};
  EXPECT_GT(mu_lower(normal, 1e-3), 0.98);
  EXPECT_LT(mu_lower(normal, 1e-3), 1);
}

TEST(Evidence, NothingSeenProvesNothing) {
  EXPECT_EQ(epsilon_lower({100, 0, 0}, 0, 0.01), 0);
  EXPECT_EQ(epsilon_lower({100, 50, 50}, 0, 0.01), 0);
  EXPECT_EQ(mu_lower({100, 100, 100}, 0.01), 0);
}

TEST(OneRun, GuessesThatAreAllRightProveWhatTheCountAllows) {
  // r right guesses have chance (e^eps / (1 + e^eps))^r.
  const double epsilon = one_run_epsilon({100, 50, 50}, 0, 1e-3);
  EXPECT_NEAR(std::pow(1 / (1 + std::exp(-epsilon)), 50), 1e-3, 1e-6);
  EXPECT_EQ(one_run_epsilon({100, 50, 25}, 0, 1e-3), 0);
  EXPECT_LT(one_run_epsilon({100, 50, 50}, 1e-6, 1e-3), epsilon);
}

TEST(TinyAccountant, ReadsEveryEventAPlanChargesAndAgreesWithTheLibrary) {
  const auto totals = tiny::add_up(tiny::read("sequence(3 x gaussian(mu=0.5), pure(epsilon=0.25))"));
  EXPECT_DOUBLE_EQ(totals.rho, 3 * 0.125 + 0.03125);
  EXPECT_TRUE(std::isinf(totals.mu_squared));
  EXPECT_NEAR(tiny::gaussian_delta(1, 1), gaussian_delta(1, 1), 1e-12);
  EXPECT_NEAR(tiny::zcdp_delta(0.1, 1), zcdp_delta(0.1, 1), 1e-6 * zcdp_delta(0.1, 1));
  const Event steps = repeat(PoissonSampledEvent{0.2, 1.0}, 4);
  const double library = pld_delta(steps, Relation::replace_one, 1).upper;
  const double lower = tiny::sampled_delta_lower({0.2, 1.0, 4, true}, 1);
  EXPECT_LE(lower, library * (1 + 1e-6));
  EXPECT_GE(lower, 0.9 * library);
}

TEST(TradeOff, PromisesWhatTheClaimAllows) {
  EXPECT_DOUBLE_EQ((TradeOff{"", std::log(3.0), 0, 0}.promised(0.25)), 0.25);
  EXPECT_NEAR((TradeOff{"", 0, 0, 1}.promised(0.5)), 0.15865525393145707, 1e-12);
  const std::string svg = trade_off_svg({"title", 1, 0, 0}, {{1, 2, 3}, {0, 1, 2}});
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_NE(svg.find("title"), std::string::npos);
}

TEST(LowBitsAttack, TellsNeighboursApartWithCertaintyUnderTheTextbookSampler) {
  const LowBitsAttack attack;
  std::mt19937_64 random(71);
  double certain = 0, wrong = 0;
  for (int i = 0; i < 2000; ++i) {
    const double uniform = static_cast<double>((random() >> 11U) | 1U) * 0x1p-53;
    const double y = (random() % 2 == 0 ? 1 : -1) * (-std::log(uniform) / attack.epsilon);
    certain += attack.verdict(y) > 0;
    wrong += attack.verdict(y) < 0;
  }
  EXPECT_GT(certain, 500);
  EXPECT_EQ(wrong, 0);
}

TEST(Replay, AHalvedClaimIsExceededAndTheRightOneIsReached) {
  TrainRequest request;
  request.problem = {HuberSvm{0.1}, 0.05};
  request.budget = {.epsilon = 1};
  request.algorithm = BoltOn{.sgd = {.passes = 2, .batch_rows = 4, .order = RowOrder::stored}};
  const Pair pair = linear_pair(9, 8, kLinearNorm);
  const Plan plan = make_plan(request.algorithm, {pair.first.facts(), request.problem, request.budget});
  const Apart apart = replay({request, plan}, pair);
  EXPECT_LE(apart.worst(), 1);
  EXPECT_GE(apart.ratio, 0.99);
  EXPECT_TRUE(apart.same_path && apart.same_end);
}

TEST(Replay, ACuratorThatKeepsATranscriptIsStamped) {
  BitSource bits;
  Transcript transcript;
  EXPECT_FALSE(Curator(bits, transcript).stamps().empty());
  EXPECT_TRUE(Curator(bits).stamps().empty());
}

TEST(Museum, NamesAreUniqueAndThereAreSeventeen) {
  std::vector<std::string_view> names;
  for (const Exhibit& exhibit : museum()) names.push_back(exhibit.name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names.size(), 17U);
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace sotto::audit
