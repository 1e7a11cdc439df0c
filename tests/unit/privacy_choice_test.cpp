// The exponential mechanism: its law recomputed from exp(epsilon u / range), and the loss between neighbours.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/privacy/choice.h"

namespace sotto {
namespace {

std::vector<double> law(const Choice& choice, const Vector& scores) {
  std::vector<double> p;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    p.push_back((scores[i] + choice.offsets[i]) * (choice.aim == Aim::largest ? 1 : -1));
  }
  const double best = *std::max_element(p.begin(), p.end());
  double sum = 0;
  for (double& x : p) sum += x = std::exp(choice.epsilon * (x - best) / choice.range);
  for (double& x : p) x /= sum;
  return p;
}

std::vector<double> drawn(const Choice& choice, const Vector& scores, std::uint64_t seed, int draws = 20000) {
  BitSource bits(ReproducibleSeed{seed});
  std::vector<double> counts(scores.size(), 0.0);
  for (int i = 0; i < draws; ++i) ++counts[choice.draw(bits, scores)];
  return counts;
}

/// The probability of a chi-square statistic at least as large.
double p_value(const std::vector<double>& counts, const std::vector<double>& p) {
  double total = 0, statistic = 0;
  for (const double c : counts) total += c;
  for (std::size_t i = 0; i < p.size(); ++i) {
    statistic += (counts[i] - total * p[i]) * (counts[i] - total * p[i]) / (total * p[i]);
  }
  return cdf(complement(boost::math::chi_squared(static_cast<double>(p.size() - 1)), statistic));
}

const Vector kScores = {100, 103, 98.5, 101.25, 90};

TEST(Choice, DrawsTheLawOfTheExponentialMechanism) {
  for (const Aim aim : {Aim::largest, Aim::smallest}) {
    for (const double epsilon : {0.1, 1.0, 3.0}) {
      const Choice choice{4, epsilon, aim, Vector(kScores.size(), 0.0)};
      EXPECT_GT(p_value(drawn(choice, kScores, 11), law(choice, kScores)), 1e-3);
    }
  }
}

TEST(Choice, AWrongSignAHalvedRangeOrADoubledEpsilonWouldBeSeen) {
  const Choice choice{4, 1, Aim::largest, Vector(kScores.size(), 0.0)};
  const std::vector<double> counts = drawn(choice, kScores, 12);
  Choice wrong = choice;
  wrong.aim = Aim::smallest;
  EXPECT_LT(p_value(counts, law(wrong, kScores)), 1e-9);
  wrong = choice;
  wrong.range = 2;
  EXPECT_LT(p_value(counts, law(wrong, kScores)), 1e-9);
  wrong = choice;
  wrong.epsilon = 0.5;
  EXPECT_LT(p_value(counts, law(wrong, kScores)), 1e-9);
}

TEST(Choice, PublicOffsetsArePartOfTheScore) {
  const Choice choice{4, 2, Aim::smallest, {0, -5, 3, 0.25, 10}};
  EXPECT_GT(p_value(drawn(choice, kScores, 13), law(choice, kScores)), 1e-3);
}

TEST(Choice, LargeSumsWithSmallDifferencesKeepTheirLaw) {
  Vector scores = kScores;
  for (double& s : scores) s += 1e12;
  const Choice choice{4, 1, Aim::largest, Vector(scores.size(), -1e12)};
  EXPECT_GT(p_value(drawn(choice, scores, 14), law(choice, scores)), 1e-3);
}

// Notes A6: with monotone scores the range is Delta, with scores that move against each other 2 Delta; the loss of a
// choice calibrated to the range is epsilon in both, and twice that if the range was halved.
TEST(Choice, TheLossBetweenNeighboursIsEpsilonAndNotMore) {
  constexpr std::size_t kCandidates = 21;
  const auto worst_loss = [](double range, double low, double high) {
    const Choice choice{range, 1, Aim::largest, Vector(kCandidates, 0.0)};
    Vector first(kCandidates, 0.0), second(kCandidates, low);
    double worst = 0;
    // The ratio tends to exp(epsilon) where one candidate is far above or below the rest.
    for (const double lead : {0.0, 30.0, -60.0}) {
      first[0] = lead;
      second[0] = lead + high;
      const auto p = law(choice, first), q = law(choice, second);
      for (std::size_t i = 0; i < kCandidates; ++i) worst = std::max(worst, std::fabs(std::log(p[i] / q[i])));
    }
    return worst;
  };
  EXPECT_NEAR(worst_loss(1, 0, 1), 1, 1e-9);
  EXPECT_NEAR(worst_loss(2, -1, 1), 1, 1e-9);
  EXPECT_NEAR(worst_loss(1, -1, 1), 2, 1e-9) << "the range of replace_one halved";
}

TEST(Choice, RoundingToTheGridNeverWidensTheLoss) {
  // Two neighbours at the edge of the range, with scores that sit badly on any grid.
  const Choice choice{3, 1, Aim::largest, {0, 0}};
  const Vector first = {0.1, 0.1}, second = {1.6 + 1e-9, -1.4 - 1e-9 + 2e-9};
  constexpr int kDraws = 40000;
  const double p = drawn(choice, first, 15, kDraws)[0] / kDraws, q = drawn(choice, second, 16, kDraws)[0] / kDraws;
  EXPECT_LE(std::log(q / p), 1 + 0.05);
  EXPECT_GE(std::log(q / (1 - q)) - std::log(p / (1 - p)), 1 - 0.05);
}

TEST(Choice, ScoresThatAreNoNumbersAreTheWorst) {
  BitSource bits(ReproducibleSeed{1});
  for (const Aim aim : {Aim::largest, Aim::smallest}) {
    const Choice choice{1, 1, aim, {0, 0, 0}};
    for (int i = 0; i < 100; ++i) EXPECT_EQ(choice.draw(bits, Vector{std::nan(""), 5, std::nan("")}), 1U);
  }
}

TEST(Choice, RefusesARangeOrEpsilonOutOfBounds) {
  EXPECT_THROW((Choice{0, 1, Aim::largest, {0}}.check()), Error);
  EXPECT_THROW((Choice{1, 0, Aim::largest, {0}}.check()), Error);
  EXPECT_THROW((Choice{1, 1e5, Aim::largest, {0}}.check()), Error);
  EXPECT_THROW((Choice{1, 1, Aim::largest, {}}.check()), Error);
  EXPECT_EQ(summary(Choice{1, 0.5, Aim::largest, {0}}.event()).value, 0.5);
}

}  // namespace
}  // namespace sotto
