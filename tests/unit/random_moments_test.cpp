// Moments of the samplers against theory, and normals of two sources against each other.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "sotto/random/samplers.h"

namespace sotto {
namespace {

constexpr std::size_t kDrawn = 200000;
constexpr double kMaxErrors = 5.0;  // standard errors; the seeds are fixed

/// E x^k of a law.
using Moment = std::function<double(int k)>;

/// Of the means of x, x^2, x^3 and x^4 the largest distance from theory, in standard errors.
double largest_error(const std::vector<double>& samples, const Moment& moment, double factor = 1.0) {
  const auto n = static_cast<double>(samples.size());
  double largest = 0;
  for (int k = 1; k <= 4; ++k) {
    double sum = 0;
    for (const double x : samples) sum += std::pow(factor * x, k);
    const double variance = moment(2 * k) - moment(k) * moment(k);
    largest = std::max(largest, std::abs(sum / n - moment(k)) / std::sqrt(variance / n));
  }
  return largest;
}

/// The samples have the moments; off by two percent they do not.
void expect_moments(const std::vector<double>& samples, const Moment& moment) {
  EXPECT_LT(largest_error(samples, moment), kMaxErrors);
  EXPECT_GT(largest_error(samples, moment, 1.02), kMaxErrors);
  EXPECT_GT(largest_error(samples, moment, 0.98), kMaxErrors);
}

/// (2k - 1)!! for 2k, 0 for odd powers.
double normal_moment(int k) {
  double product = k % 2 == 0 ? 1 : 0;
  for (int factor = k - 1; factor > 1; factor -= 2) product *= factor;
  return product;
}

/// shape (shape + 1) ... (shape + k - 1); k! for shape 1.
double gamma_moment(double shape, int k) {
  double product = 1;
  for (int i = 0; i < k; ++i) product *= shape + i;
  return product;
}

std::vector<double> normals(std::uint64_t seed, std::size_t count = kDrawn) {
  BitSource bits(ReproducibleSeed{seed});
  std::vector<double> samples(count);
  draw_normal(bits, samples);
  return samples;
}

TEST(Moments, OfNormalsAreThoseOfTheLaw) { expect_moments(normals(61), normal_moment); }

TEST(Moments, OfExponentialsAreThoseOfTheLaw) {
  BitSource bits(ReproducibleSeed{62});
  std::vector<double> samples(kDrawn);
  for (double& x : samples) x = draw_exponential(bits);
  expect_moments(samples, [](int k) { return gamma_moment(1, k); });
}

TEST(Moments, OfGammasAreThoseOfTheLaw) {
  for (const double shape : {0.5, 1.0, 3.0, 25.5}) {
    SCOPED_TRACE(shape);
    BitSource bits(ReproducibleSeed{63});
    std::vector<double> samples(kDrawn);
    for (double& x : samples) x = draw_gamma(bits, shape);
    expect_moments(samples, [shape](int k) { return gamma_moment(shape, k); });
  }
}

/// The correlation of normals, and of their squares, `lag` draws apart: the larger, in standard errors.
double correlation(const std::vector<double>& first, const std::vector<double>& second, std::size_t lag) {
  double product = 0, of_squares = 0;
  const std::size_t count = first.size() - lag;
  for (std::size_t i = 0; i < count; ++i) {
    const double a = first[i], b = second[i + lag];
    product += a * b;
    of_squares += (a * a - 1) * (b * b - 1) / 2;
  }
  return std::max(std::abs(product), std::abs(of_squares)) / std::sqrt(static_cast<double>(count));
}

TEST(Independence, NormalsOfTwoSourcesAreUncorrelated) {
  const std::vector<double> first = normals(64);
  for (const std::uint64_t seed : {65U, 66U, 1U << 20U}) {
    const std::vector<double> second = normals(seed);
    for (std::size_t lag = 0; lag < 8; ++lag) {
      EXPECT_LT(correlation(first, second, lag), kMaxErrors) << seed << " " << lag;
      EXPECT_LT(correlation(second, first, lag), kMaxErrors) << seed << " " << lag;
    }
  }
}

TEST(Independence, NormalsOfOneSourceAreUncorrelated) {
  const std::vector<double> samples = normals(67);
  for (std::size_t lag = 1; lag < 8; ++lag) EXPECT_LT(correlation(samples, samples, lag), kMaxErrors) << lag;
}

TEST(Independence, SourcesThatShareAFiftiethOfTheirVarianceAreNoticed) {
  const std::vector<double> first = normals(68), shared = normals(69);
  std::vector<double> second = normals(70);
  for (std::size_t i = 0; i < second.size(); ++i) {
    second[i] = std::sqrt(0.98) * second[i] + std::sqrt(0.02) * first[i];
  }
  EXPECT_GT(correlation(first, second, 0), kMaxErrors);
  EXPECT_GT(correlation(shared, normals(69), 0), kMaxErrors) << "the same seed";
}

}  // namespace
}  // namespace sotto
