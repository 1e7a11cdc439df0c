#include <gtest/gtest.h>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/normal.hpp>
#include <map>
#include <numeric>

#include "sotto/random/samplers.h"
#include "unit/random_checks.h"

namespace sotto {
namespace {

using checks::kRefuse;
using checks::ks_p_value;

constexpr std::size_t kSamples = 200000;

template <class Draw>
std::vector<double> collect(const Draw& draw, std::size_t count = kSamples) {
  std::vector<double> samples(count);
  for (double& x : samples) x = draw();
  return samples;
}

template <class Law>
auto cdf_of(const Law& law) {
  return [law](double x) { return boost::math::cdf(law, x); };
}

std::vector<double> scaled(std::vector<double> samples, double factor) {
  for (double& x : samples) x *= factor;
  return samples;
}

TEST(Samplers, UniformsAreUniformAndNeverZeroOrOne) {
  BitSource bits(ReproducibleSeed{11});
  const auto samples = collect([&] { return draw_uniform(bits); });
  const auto [low, high] = std::minmax_element(samples.begin(), samples.end());
  EXPECT_GT(*low, 0.0);
  EXPECT_LT(*high, 1.0);
  EXPECT_GT(ks_p_value(samples, [](double x) { return x; }), kRefuse);
}

TEST(Samplers, DrawBelowIsUniformAtEveryBound) {
  BitSource bits(ReproducibleSeed{12});
  for (const std::uint64_t bound : {1U, 2U, 3U, 7U, 10U, 64U, 1000U}) {
    std::vector<double> counts(bound, 0.0);
    for (std::size_t i = 0; i < 200 * bound + 20000; ++i) counts.at(draw_below(bits, bound)) += 1.0;
    EXPECT_GT(bound > 1 ? checks::uniform_p_value(counts) : 1.0, kRefuse) << bound;
  }
}

TEST(Samplers, DrawBelowRejectsTheExcessOfALargeBound) {
  // With bound = 3/4 2^64 a multiply-and-shift without rejection hits every third value twice as often.
  BitSource bits(ReproducibleSeed{13});
  const std::uint64_t bound = std::uint64_t{3} << 62;
  std::vector<double> residues(3, 0.0);
  for (std::size_t i = 0; i < kSamples; ++i) {
    const std::uint64_t value = draw_below(bits, bound);
    ASSERT_LT(value, bound);
    residues[value % 3] += 1.0;
  }
  EXPECT_GT(checks::uniform_p_value(residues), kRefuse);
}

TEST(Samplers, ExponentialsFollowTheirLawAndAScaleOffByTwoPercentIsRefused) {
  BitSource bits(ReproducibleSeed{14});
  const auto samples = collect([&] { return draw_exponential(bits); });
  const auto cdf = cdf_of(boost::math::exponential(1.0));
  EXPECT_GT(ks_p_value(samples, cdf), kRefuse);
  EXPECT_LT(ks_p_value(scaled(samples, 1.02), cdf), kRefuse);
}

TEST(Samplers, NormalsFollowTheirLawAndAScaleOffByTwoPercentIsRefused) {
  BitSource bits(ReproducibleSeed{15});
  std::vector<double> samples(kSamples + 1);
  draw_normal(bits, samples);
  const auto cdf = cdf_of(boost::math::normal(0.0, 1.0));
  EXPECT_GT(ks_p_value(samples, cdf), kRefuse);
  EXPECT_LT(ks_p_value(scaled(samples, 1.02), cdf), kRefuse);
}

TEST(Samplers, GammasFollowTheirLawAtEveryShapeAndAScaleOffByTwoPercentIsRefused) {
  BitSource bits(ReproducibleSeed{16});
  for (const double shape : {0.1, 0.5, 0.99, 1.0, 1.5, 3.0, 25.5, 1000.0}) {
    const auto samples = collect([&] { return draw_gamma(bits, shape); });
    const auto cdf = cdf_of(boost::math::gamma_distribution<double>(shape, 1.0));
    EXPECT_GT(ks_p_value(samples, cdf), kRefuse) << shape;
    if (shape < 0.5) continue;  // the law hardly feels its scale there
    EXPECT_LT(ks_p_value(scaled(samples, 1.02), cdf), kRefuse) << shape;
  }
}

TEST(Samplers, SphereVectorsHaveLengthOneAndNoPreferredDirection) {
  BitSource bits(ReproducibleSeed{17});
  for (const std::size_t d : {2U, 3U, 10U}) {
    std::vector<std::vector<double>> squares(d);
    std::vector<double> v(d);
    for (std::size_t i = 0; i < 30000; ++i) {
      draw_sphere(bits, v);
      EXPECT_NEAR(std::inner_product(v.begin(), v.end(), v.begin(), 0.0), 1.0, 1e-14);
      for (std::size_t j = 0; j < d; ++j) squares[j].push_back(v[j] * v[j]);
    }
    const boost::math::beta_distribution<double> law(0.5, 0.5 * static_cast<double>(d - 1));
    for (const auto& s : squares) EXPECT_GT(ks_p_value(s, cdf_of(law)), kRefuse) << d;
  }
}

TEST(Samplers, ASphereInOneDimensionIsASign) {
  BitSource bits(ReproducibleSeed{18});
  double positive = 0.0;
  for (int i = 0; i < 10000; ++i) {
    double v = 0.0;
    draw_sphere(bits, std::span(&v, 1));
    EXPECT_EQ(std::abs(v), 1.0);
    positive += v > 0.0;
  }
  EXPECT_GT(checks::uniform_p_value(std::vector<double>{positive, 10000 - positive}), kRefuse);
}

TEST(Samplers, ShuffleMakesEveryOrderEquallyLikely) {
  BitSource bits(ReproducibleSeed{19});
  std::map<std::vector<std::uint64_t>, double> seen;
  for (int i = 0; i < 48000; ++i) {
    std::vector<std::uint64_t> items = {0, 1, 2, 3};
    shuffle(bits, items);
    seen[items] += 1.0;
  }
  std::vector<double> counts;
  for (const auto& [order, count] : seen) counts.push_back(count);
  EXPECT_EQ(counts.size(), 24U);
  EXPECT_GT(checks::uniform_p_value(counts), kRefuse);
}

}  // namespace
}  // namespace sotto
