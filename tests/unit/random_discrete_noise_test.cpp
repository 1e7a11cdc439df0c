#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>

#include "sotto/base/error.h"
#include "sotto/random/grid_noise.h"
#include "unit/random_checks.h"

namespace sotto {
namespace {

using checks::kRefuse;

/// P(k), k from -100 to 100, proportional to `weight`.
template <class Weight>
std::vector<double> law(const Weight& weight) {
  std::vector<double> p;
  double total = 0.0;
  for (int k = -100; k <= 100; ++k) total += p.emplace_back(weight(k));
  for (double& x : p) x /= total;
  return p;
}

std::vector<double> laplace_law(double scale) {
  return law([=](int k) { return std::exp(-std::abs(k) / scale); });
}
std::vector<double> gaussian_law(double variance) {
  return law([=](int k) { return std::exp(-k * k / (2.0 * variance)); });
}

double p_value(const std::vector<std::int64_t>& noise, const std::vector<double>& probabilities) {
  std::vector<double> counts(201, 0.0);
  for (const auto k : noise) counts.at(static_cast<std::size_t>(k + 100)) += 1.0;
  return checks::chi_square_p_value(counts, probabilities);
}

TEST(DiscreteNoise, LaplaceFollowsItsExactLawAndAScaleOffByTwoPercentIsRefused) {
  BitSource bits(ReproducibleSeed{31});
  std::vector<std::int64_t> noise(200000);
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> ratios = {{1, 3}, {1, 1}, {5, 2}, {7, 1}, {14000, 2003}};
  for (const auto& [n, m] : ratios) {
    draw_discrete_laplace(bits, n, m, noise);
    const double scale = static_cast<double>(n) / static_cast<double>(m);
    EXPECT_GT(p_value(noise, laplace_law(scale)), kRefuse) << n << '/' << m;
    EXPECT_LT(p_value(noise, laplace_law(1.02 * scale)), kRefuse) << n << '/' << m;
  }
}

TEST(DiscreteNoise, GaussianFollowsItsExactLawAndAScaleOffByTwoPercentIsRefused) {
  BitSource bits(ReproducibleSeed{32});
  std::vector<std::int64_t> noise(200000);
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> ratios = {
      {1, 4}, {1, 1}, {2, 1}, {29, 3}, {30000000, 1000001}};
  for (const auto& [n, m] : ratios) {
    draw_discrete_gaussian(bits, n, m, noise);
    const double variance = static_cast<double>(n) / static_cast<double>(m);
    EXPECT_GT(p_value(noise, gaussian_law(variance)), kRefuse) << n << '/' << m;
    EXPECT_LT(p_value(noise, gaussian_law(1.02 * 1.02 * variance)), kRefuse) << n << '/' << m;
  }
}

TEST(DiscreteNoise, LargeScalesAreCloseToTheContinuousLaws) {
  BitSource bits(ReproducibleSeed{33});
  std::vector<std::int64_t> noise(400000);
  const auto over = [&](double scale) {
    std::vector<double> out;
    for (const auto k : noise) out.push_back(static_cast<double>(k) / scale);
    return out;
  };
  draw_discrete_laplace(bits, std::uint64_t{1} << 40, 1, noise);
  const auto laplace = [](double x) { return x < 0 ? 0.5 * std::exp(x) : 1.0 - 0.5 * std::exp(-x); };
  EXPECT_GT(checks::ks_p_value(over(0x1p40), laplace), kRefuse);
  EXPECT_LT(checks::ks_p_value(over(0x1.05p40), laplace), kRefuse);
  const auto normal = [](double x) { return boost::math::cdf(boost::math::normal(), x); };
  draw_discrete_gaussian(bits, std::uint64_t{1} << 60, 1, noise);
  EXPECT_GT(checks::ks_p_value(over(0x1p30), normal), kRefuse);
  EXPECT_LT(checks::ks_p_value(over(0x1.05p30), normal), kRefuse);
}

TEST(DiscreteNoise, TheLargestParametersStayInRange) {
  BitSource bits(ReproducibleSeed{34});
  std::vector<std::int64_t> noise(200);
  const std::uint64_t most = ~std::uint64_t{0};
  draw_discrete_laplace(bits, most, 1, noise);
  for (const auto k : noise) EXPECT_LE(std::abs(k), std::int64_t{1} << 62);
  draw_discrete_laplace(bits, 1, most, noise);
  for (const auto k : noise) EXPECT_EQ(k, 0);
  draw_discrete_gaussian(bits, most, 1, noise);
  for (const auto k : noise) EXPECT_LE(std::abs(k), std::int64_t{1} << 40);
  draw_discrete_gaussian(bits, 1, most, noise);
  for (const auto k : noise) EXPECT_EQ(k, 0);
  draw_discrete_gaussian(bits, most, most - 1, noise);
  for (const auto k : noise) EXPECT_LE(std::abs(k), 12);
}

TEST(DiscreteNoise, AZeroInTheRatioIsRefused) {
  BitSource bits(ReproducibleSeed{35});
  std::vector<std::int64_t> noise(2);
  EXPECT_THROW(draw_discrete_laplace(bits, 0, 1, noise), Error);
  EXPECT_THROW(draw_discrete_laplace(bits, 1, 0, noise), Error);
  EXPECT_THROW(draw_discrete_gaussian(bits, 0, 1, noise), Error);
  EXPECT_THROW(draw_discrete_gaussian(bits, 1, 0, noise), Error);
}

}  // namespace
}  // namespace sotto
