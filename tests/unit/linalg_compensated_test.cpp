// Weights as pairs of numbers, against 113 bits.
#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "sotto/linalg/compensated.h"

namespace sotto {
namespace {

using Wide = boost::multiprecision::cpp_bin_float_quad;

TEST(Compensated, AStepLosesOnlyWhatItsOwnSizeIsRoundedBy) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int trial = 0; trial < 20000; ++trial) {
    const double weight = unit(random) * std::exp2(20 * unit(random));
    double high = weight, low = unit(random) * 0x1p-54 * std::fabs(weight);
    const double shrink = trial % 2 == 0 ? 0 : 0.1 * std::fabs(unit(random)), size = std::exp2(30 * unit(random));
    const double gradient = unit(random);
    const Wide before = Wide(high) + low;
    compensated::step(shrink, size, &gradient, {&high, &low}, 1);
    const Wide subtracted = Wide(shrink) * before + Wide(size) * gradient;
    const double lost = static_cast<double>(abs(Wide(high) + low - (before - subtracted)));
    const double rounded = 0x1p-53 * (4 * shrink * std::fabs(weight) + 3 * size * std::fabs(gradient));
    ASSERT_LE(lost, rounded + 4 * 0x1p-106 * (std::fabs(weight) + std::fabs(high))) << trial;
    ASSERT_LE(std::fabs(low), 0x1p-53 * std::fabs(high)) << trial;
  }
}

TEST(Compensated, SumsOfManyShortTermsKeepThem) {
  double high = 1, low = 0;
  const double term = 0x1p-60;
  for (int i = 0; i < 1 << 20; ++i) compensated::axpy(1, &term, {&high, &low}, 1);
  EXPECT_EQ(high + low, 1 + 0x1p-40);
}

TEST(Compensated, ADotProductIsRoundedOnce) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> entry;
  double worst = 0;
  for (const std::size_t n : {1U, 2U, 17U, 1000U, 30000U}) {
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<float> x(n);
      std::vector<double> high(n), low(n);
      double of_x = 0, of_w = 0;
      for (std::size_t i = 0; i < n; ++i) {
        x[i] = static_cast<float>(entry(random));
        high[i] = entry(random) * std::exp2(static_cast<double>(random() % 40));
        low[i] = 0x1p-53 * high[i] * (trial % 2 == 0 ? 1 : -0.7);
        // Pairs that cancel: the plain sum would lose what is left of them.
        if (i % 2 == 1) x[i] = x[i - 1], high[i] = -high[i - 1];
        of_x += double{x[i]} * double{x[i]};
        of_w += high[i] * high[i];
      }
      Wide exact = 0;
      for (std::size_t i = 0; i < n; ++i) exact += Wide(x[i]) * (Wide(high[i]) + low[i]);
      const double computed = compensated::dot(x.data(), high.data(), low.data(), n);
      const double units = static_cast<double>(abs(exact - computed)) / (0x1p-53 * std::sqrt(of_x * of_w));
      ASSERT_LE(units, compensated::dot_units(n)) << n;
      worst = std::max(worst, units);
    }
  }
  EXPECT_GT(worst, 0.01);
  EXPECT_LT(compensated::dot_units(1U << 20U), 2);
}

}  // namespace
}  // namespace sotto
