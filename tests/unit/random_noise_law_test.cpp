// The laws of the noise: radius and direction of L2-Laplace vectors (spec 4.1), coordinates of Gaussian ones (4.2).
#include <gtest/gtest.h>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/normal.hpp>
#include <functional>
#include <numeric>

#include "sotto/random/grid_noise.h"
#include "sotto/random/samplers.h"
#include "unit/random_checks.h"

namespace sotto {
namespace {

using checks::kRefuse;
using Vectors = std::vector<std::vector<double>>;
/// Fills vectors of noise of scale 1, one after the other.
using Draw = std::function<void(BitSource&, std::size_t dimension, std::span<double>)>;

constexpr double kGrid = 0x1p16;  // scale in grid steps: rounding is far below what 200,000 vectors can see

template <class Integer>
Draw on_grid(const Integer& draw) {
  return [draw](BitSource& bits, std::size_t dimension, std::span<double> out) {
    std::vector<std::int64_t> noise(out.size());
    draw(bits, dimension, noise);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<double>(noise[i]) / kGrid;
  };
}

const Draw kL2Laplace = on_grid([](BitSource& bits, std::size_t d, std::span<std::int64_t> noise) {
  for (std::size_t i = 0; i < noise.size(); i += d) draw_l2_laplace(bits, kGrid, noise.subspan(i, d));
});
const Draw kManyL2Laplace = on_grid(
    [](BitSource& bits, std::size_t d, std::span<std::int64_t> noise) { draw_l2_laplace(bits, kGrid, d, noise); });
const Draw kGaussian =
    on_grid([](BitSource& bits, std::size_t, std::span<std::int64_t> noise) { draw_gaussian(bits, kGrid, noise); });

Vectors collect(const Draw& draw, std::size_t dimension, std::size_t count) {
  BitSource bits(ReproducibleSeed{40 + dimension});
  std::vector<double> flat(dimension * count);
  draw(bits, dimension, flat);
  Vectors vectors(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto from = flat.begin() + static_cast<std::ptrdiff_t>(i * dimension);
    vectors[i].assign(from, from + static_cast<std::ptrdiff_t>(dimension));
  }
  return vectors;
}

double length(const std::vector<double>& v) {
  return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
}

/// The radius of a vector with density proportional to exp(-|z|) is Gamma(d).
double radius_p_value(const Vectors& vectors, double factor = 1.0) {
  std::vector<double> radii;
  for (const auto& v : vectors) radii.push_back(factor * length(v));
  const boost::math::gamma_distribution<double> law(static_cast<double>(vectors[0].size()), 1.0);
  return checks::ks_p_value(radii, [&](double r) { return boost::math::cdf(law, r); });
}

Vectors directions(Vectors vectors) {
  for (auto& v : vectors) {
    const double radius = length(v);
    for (double& x : v) x /= radius;
  }
  return vectors;
}

/// The square of a coordinate of a uniform direction is Beta(1/2, (d - 1)/2); the smallest p-value over coordinates (at
/// most some 20 of them, of 40,000 vectors: the distribution function is slow).
double direction_p_value(Vectors given) {
  given.resize(std::min<std::size_t>(given.size(), 40000));
  const Vectors vectors = directions(std::move(given));
  const std::size_t d = vectors[0].size();
  const boost::math::beta_distribution<double> law(0.5, 0.5 * static_cast<double>(d - 1));
  double smallest = 1.0;
  for (std::size_t j = 0; j < d; j += 1 + d / 20) {
    std::vector<double> squares;
    for (const auto& v : vectors) squares.push_back(std::min(1.0, v[j] * v[j]));
    smallest = std::min(smallest, checks::ks_p_value(squares, [&](double x) { return boost::math::cdf(law, x); }));
  }
  return smallest;
}

/// Signs and products of neighbouring coordinates average to zero: the largest deviation in standard errors.
double largest_moment(const Vectors& given) {
  const Vectors vectors = directions(given);
  const std::size_t d = vectors[0].size();
  double largest = 0.0;
  for (std::size_t j = 0; j < d; ++j) {
    double sign = 0.0, product = 0.0, square = 0.0;
    for (const auto& v : vectors) {
      const double p = v[j] * v[(j + d / 2) % d];
      sign += v[j] > 0.0 ? 1.0 : -1.0;
      product += p;
      square += p * p;
    }
    largest = std::max(largest, std::abs(sign) / std::sqrt(static_cast<double>(vectors.size())));
    if (d > 1) largest = std::max(largest, std::abs(product) / std::sqrt(square));
  }
  return largest;
}

double normal_p_value(const Vectors& vectors, double factor = 1.0) {
  std::vector<double> samples;
  for (const auto& v : vectors) {
    for (const double x : v) samples.push_back(factor * x);
  }
  return checks::ks_p_value(samples, [](double x) { return boost::math::cdf(boost::math::normal(), x); });
}

void expect_l2_laplace(const Draw& draw) {
  for (const std::size_t d : {1U, 2U, 3U, 8U, 50U, 300U}) {
    // The fewer the dimensions, the wider the radius spreads and the less a scale shows.
    const Vectors vectors = collect(draw, d, d < 8 ? 200000 : d < 50 ? 40000 : 4000);
    EXPECT_GT(radius_p_value(vectors), kRefuse) << d;
    EXPECT_LT(radius_p_value(vectors, 1.02), kRefuse) << d;
    EXPECT_LT(radius_p_value(vectors, 0.98), kRefuse) << d;
    EXPECT_LT(largest_moment(vectors), 5.0) << d;
    if (d > 1) {
      EXPECT_GT(direction_p_value(vectors), kRefuse / static_cast<double>(d)) << d;
    }
  }
}

TEST(NoiseLaw, L2LaplaceHasTheRightRadiusAndDirection) { expect_l2_laplace(kL2Laplace); }
TEST(NoiseLaw, L2LaplaceDrawnTogetherHasTheRightRadiusAndDirection) { expect_l2_laplace(kManyL2Laplace); }

TEST(NoiseLaw, ADirectionDrawnInTheBallInsteadOfOnTheSphereIsRefused) {
  for (const std::size_t d : {1U, 2U, 8U}) {
    Vectors vectors = collect(kL2Laplace, d, 40000);
    BitSource bits(ReproducibleSeed{50});
    for (auto& v : vectors) {
      const double shrink = std::pow(draw_uniform(bits), 1.0 / static_cast<double>(d));
      for (double& x : v) x *= shrink;
    }
    EXPECT_LT(radius_p_value(vectors), kRefuse) << d;
  }
}

TEST(NoiseLaw, IndependentLaplaceCoordinatesAreNotL2Laplace) {
  BitSource bits(ReproducibleSeed{51});
  Vectors vectors(40000, std::vector<double>(3));
  for (auto& v : vectors) {
    for (double& x : v) x = draw_exponential(bits) * (draw_below(bits, 2) == 0 ? 1.0 : -1.0);
  }
  EXPECT_LT(direction_p_value(vectors), kRefuse);
  EXPECT_LT(radius_p_value(vectors), kRefuse);
}

TEST(NoiseLaw, GaussiansAreNormalAndAScaleOffByTwoPercentIsRefused) {
  for (const std::size_t d : {1U, 5U, 50U, 600U}) {
    const Vectors vectors = collect(kGaussian, d, 600000 / d);
    EXPECT_GT(normal_p_value(vectors), kRefuse) << d;
    EXPECT_LT(normal_p_value(vectors, 1.02), kRefuse) << d;
    EXPECT_LT(normal_p_value(vectors, 0.98), kRefuse) << d;
  }
}

TEST(NoiseLaw, GaussianCoordinatesAreUncorrelated) { EXPECT_LT(largest_moment(collect(kGaussian, 50, 8000)), 5.0); }

TEST(NoiseLaw, GaussianTailsHaveTheRightWeight) {
  const Vectors vectors = collect(kGaussian, 1000, 4000);
  for (const double at : {3.0, 4.0, 4.5}) {
    double beyond = 0.0;
    for (const auto& v : vectors)
      beyond += static_cast<double>(std::count_if(v.begin(), v.end(), [at](double x) { return std::abs(x) > at; }));
    const double expected = 4e6 * std::erfc(at / std::sqrt(2.0));
    EXPECT_LT(std::abs(beyond - expected), 5.0 * std::sqrt(expected)) << at;
  }
}

}  // namespace
}  // namespace sotto
