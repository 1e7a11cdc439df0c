// Texts found by a threshold: the probability a lone text is shown, and the delta of the worst neighbours, recomputed
// from the law of the noise.
#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/privacy/curator.h"
#include "sotto/privacy/discovery.h"

namespace sotto {
namespace {

/// P(K = k) of integer noise proportional to exp(-|k| / scale).
double mass(std::int64_t k, double scale) {
  const double a = std::exp(-1 / scale);
  return (1 - a) / (1 + a) * std::pow(a, static_cast<double>(std::llabs(k)));
}
/// P(K >= k), summed term by term.
double tail(std::int64_t k, double scale) {
  double sum = 0;
  for (std::int64_t i = k + static_cast<std::int64_t>(60 * scale); i >= k; --i) sum += mass(i, scale);
  return sum;
}

Discovery law_of(double epsilon, Relation relation, double allowed) { return {epsilon, relation, allowed, 64}; }

TEST(Discovery, TheThresholdIsTheLeastThatHidesATextOfOneRow) {
  for (const Relation relation : {Relation::replace_one, Relation::add_remove}) {
    for (const double epsilon : {0.05, 0.5, 3.0}) {
      for (const double allowed : {1e-3, 1e-9, 1e-15}) {
        const Discovery law = law_of(epsilon, relation, allowed);
        const double scale = (relation == Relation::replace_one ? 2 : 1) / epsilon;
        const double shown = tail(law.threshold() - 1, scale);
        EXPECT_LE(shown, allowed * (1 + 1e-4));
        EXPECT_GT(tail(law.threshold() - 2, scale), allowed * (1 - 1e-4));
        EXPECT_NEAR(law.distance() / shown, 1, 1e-3);
        EXPECT_LE(law.distance(), allowed * (1 + 1e-9));
      }
    }
  }
}

/// The law of what one text shows: hidden, or its noisy count up to `width` above the threshold.
std::vector<double> outcomes(std::int64_t count, std::int64_t threshold, double scale) {
  const auto width = static_cast<std::int64_t>(40 * scale);
  std::vector<double> p(static_cast<std::size_t>(width) + 1, 0.0);
  double shown = 0;
  for (std::int64_t i = 1; i <= width && count > 0; ++i) {
    shown += p[static_cast<std::size_t>(i)] = mass(threshold + i - 1 - count, scale);
  }
  p[0] = 1 - shown;
  return p;
}

struct Pair {
  std::int64_t u, v;    // counts in S
  std::int64_t u2, v2;  // in its neighbour
};

/// sup over events of P - e^epsilon P', both texts' noisy counts being seen where they are shown.
double delta_of(const Pair& pair, const Discovery& law, double scale) {
  const std::int64_t threshold = law.threshold();
  const auto u = outcomes(pair.u, threshold, scale), v = outcomes(pair.v, threshold, scale);
  const auto u2 = outcomes(pair.u2, threshold, scale), v2 = outcomes(pair.v2, threshold, scale);
  double delta = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    for (std::size_t j = 0; j < v.size(); ++j) {
      delta += std::fmax(0, u[i] * v[j] - std::exp(law.epsilon) * u2[i] * v2[j]);
    }
  }
  return delta;
}

std::vector<Pair> neighbours(const Discovery& law) {
  const std::int64_t t = law.threshold();
  if (law.relation == Relation::add_remove) {
    return {{1, 0, 0, 0}, {0, 0, 1, 0}, {t, 0, t - 1, 0}, {t - 1, 0, t, 0}, {2, 3, 1, 3}, {1, t, 0, t}};
  }
  return {{1, 0, 0, 1},     {t, 0, t - 1, 1}, {t - 1, 1, t, 0},         {t, t, t - 1, t + 1}, {2, t, 1, t + 1},
          {1, t, 0, t + 1}, {0, t, 1, t - 1}, {t + 5, t, t + 6, t - 1}, {2, 0, 1, 1}};
}

TEST(Discovery, TheWorstNeighboursStayWithinEpsilonAndTheDistance) {
  for (const Relation relation : {Relation::replace_one, Relation::add_remove}) {
    const Discovery law = law_of(0.8, relation, 1e-4);
    const double scale = static_cast<double>(law.shift()) / law.epsilon;
    double worst = 0;
    for (const Pair& pair : neighbours(law)) worst = std::fmax(worst, delta_of(pair, law, scale));
    EXPECT_LE(worst, law.distance() * (1 + 1e-4));
    EXPECT_GT(worst, 0.9 * law.distance());  // attained, so the bound is no larger than it has to be
  }
}

TEST(Discovery, HalfTheNoiseWouldBeFoundOut) {
  for (const Relation relation : {Relation::replace_one, Relation::add_remove}) {
    const Discovery law = law_of(0.8, relation, 1e-4);
    const double half = static_cast<double>(law.shift()) / law.epsilon / 2;
    double worst = 0;
    for (const Pair& pair : neighbours(law)) worst = std::fmax(worst, delta_of(pair, law, half));
    EXPECT_GT(worst, 10 * law.distance());
  }
}

TEST(Discovery, ShowsEachTextAsOftenAsTheLawSays) {
  for (const Relation relation : {Relation::replace_one, Relation::add_remove}) {
    const Discovery law = law_of(0.5, relation, 1e-3);
    const std::int64_t t = law.threshold();
    const double scale = static_cast<double>(law.shift()) / law.epsilon;
    const TextCounts counts = {{"a", static_cast<std::uint64_t>(t)},
                               {"b", static_cast<std::uint64_t>(t + 3)},
                               {"c", static_cast<std::uint64_t>(t - 4)}};
    BitSource bits(ReproducibleSeed{5});
    std::map<std::string, double> shown;
    constexpr int kDraws = 20000;
    for (int i = 0; i < kDraws; ++i) {
      for (const std::string& text : law.draw(bits, counts)) ++shown[text];
    }
    for (const auto& [text, count] : counts) {
      const double p = tail(t - static_cast<std::int64_t>(count), scale);
      EXPECT_NEAR(shown[text] / kDraws, p, 5 * std::sqrt(p * (1 - p) / kDraws)) << text;
    }
  }
}

TEST(Discovery, ShowsAtMostSoManyTextsSortedAndNeverOneNobodyHas) {
  Discovery law = law_of(1, Relation::replace_one, 0.4);
  law.most = 2;
  BitSource bits(ReproducibleSeed{1});
  const TextCounts counts = {{"none", 0}, {"x", 5000}, {"few", 1000}, {"b", 7000}};
  for (int i = 0; i < 100; ++i) EXPECT_EQ(law.draw(bits, counts), (std::vector<std::string>{"b", "x"}));
  EXPECT_TRUE(law.draw(bits, {}).empty());
  const TextCounts nobody = {{"none", 0}};
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(law.draw(bits, nobody).empty());
}

TEST(Discovery, NeedsAChargeAndUsesItUp) {
  BitSource bits(ReproducibleSeed{2});
  Curator curator(bits);
  const Discovery law = law_of(1, Relation::replace_one, 1e-6);
  const auto discover = [&] { return curator.discover(Sensitive<TextCounts>({{"x", 5000}}), law); };
  EXPECT_THROW(discover(), Error);
  curator.charge({law.event()});
  EXPECT_EQ(discover(), std::vector<std::string>{"x"});
  EXPECT_THROW(discover(), Error);
}

TEST(Discovery, RefusesToWorkWithoutDelta) {
  EXPECT_THROW(law_of(1, Relation::replace_one, 0).check(), Error);
  EXPECT_THROW(law_of(0, Relation::replace_one, 1e-6).check(), Error);
}

}  // namespace
}  // namespace sotto
