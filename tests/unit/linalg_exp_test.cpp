#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "linalg_reference.h"
#include "sotto/linalg/exp.h"
#include "sotto/linalg/kernels.h"
#include "sotto/linalg/targets.h"
#include "sotto/losses/softmax.h"

namespace sotto {
namespace {

using linalg_reference::bits_of;
using Digits50 = boost::multiprecision::cpp_bin_float_50;

/// The distance from the true value in units of the last place of the binary64 number nearest to it. Long double has
/// 11 more bits than binary64, and its library functions err below one of its own units: 0.001 of ours.
double ulps(double computed, long double truth) {
  const double nearest = std::abs(static_cast<double>(truth));
  const double unit = std::nextafter(nearest, std::numeric_limits<double>::infinity()) - nearest;
  return static_cast<double>(std::abs(static_cast<long double>(computed) - truth) / unit);
}

/// Half the points anywhere in [-708, 0], half with a random exponent so that small ones are frequent.
double negative_point(std::mt19937_64& bits, int i) {
  std::uniform_real_distribution<double> uniform(0, 1);
  if (i % 2 == 0) return -708 * uniform(bits);
  return -std::ldexp(1 + uniform(bits), static_cast<int>(bits() % 70) - 61);
}

TEST(ExpNegative, ErrsByLessThanTwoUnitsOverAMillionPoints) {
  std::mt19937_64 bits(1);
  double worst = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const double x = negative_point(bits, i);
    if (x < -708) continue;
    worst = std::max(worst, ulps(kernels::exp_negative(x), std::exp(static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 1.2);
  EXPECT_GT(worst, 0.5) << "no rounding seen: the points do not test anything";
}

TEST(ExpNegative, AgreesWithFiftyDigits) {
  std::mt19937_64 bits(2);
  for (int i = 0; i < 2000; ++i) {
    const double x = std::max(negative_point(bits, i), -708.0);
    const Digits50 truth = exp(Digits50(x));
    const Digits50 relative = abs(Digits50(kernels::exp_negative(x)) / truth - 1);
    ASSERT_LT(relative.convert_to<double>(), 0x1p-52) << x;
  }
}

TEST(ExpNegative, IsExactAtZeroAndZeroFarOut) {
  EXPECT_EQ(bits_of(kernels::exp_negative(0.0)), bits_of(1.0));
  EXPECT_EQ(bits_of(kernels::exp_negative(-0.0)), bits_of(1.0));
  EXPECT_EQ(kernels::exp_negative(-0x1p-60), 1.0);
  EXPECT_GT(kernels::exp_negative(-708.0), std::numeric_limits<double>::min());
  for (const double x : {-708.0000001, -745.2, -1e4, -1e300, -std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(bits_of(kernels::exp_negative(x)), bits_of(0.0)) << x;
  }
}

TEST(Log1pUnit, ErrsByLessThanTwoUnits) {
  std::mt19937_64 bits(3);
  std::uniform_real_distribution<double> uniform(0, 1);
  double worst = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const double y = i % 2 == 0 ? uniform(bits) : std::ldexp(uniform(bits), -static_cast<int>(bits() % 60));
    worst = std::max(worst, ulps(kernels::log1p_unit(y), std::log1p(static_cast<long double>(y))));
  }
  EXPECT_LT(worst, 2.0);
  EXPECT_EQ(kernels::log1p_unit(0.0), 0.0);
  EXPECT_EQ(kernels::log1p_unit(1.0), std::log(2.0));
}

TEST(LogFromOne, ErrsByLessThanThreeUnits) {
  std::mt19937_64 bits(6);
  std::uniform_real_distribution<double> uniform(0, 1);
  double worst = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const double above =
        i % 2 == 0 ? 100 * uniform(bits) : std::ldexp(uniform(bits), 40 - static_cast<int>(bits() % 90));
    const double x = 1 + above;
    worst = std::max(worst, ulps(kernels::log_from_one(x), std::log(static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 2.0);
  EXPECT_EQ(bits_of(kernels::log_from_one(1.0)), bits_of(0.0));
  EXPECT_EQ(kernels::log_from_one(2.0), std::log(2.0));
  EXPECT_TRUE(std::isfinite(kernels::log_from_one(0.0)));
}

TEST(Log1pExpNegative, ErrsByLessThanFourUnits) {
  std::mt19937_64 bits(4);
  double worst = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const double x = negative_point(bits, i);
    if (x < -708) continue;
    const long double truth = std::log1p(std::exp(static_cast<long double>(x)));
    worst = std::max(worst, ulps(kernels::log1p_exp_negative(x), truth));
  }
  EXPECT_LT(worst, 3.0);
}

TEST(LogisticSlope, IsAccurateAndStableAtHugeMargins) {
  for (double m = -40; m <= 40; m += 0.03125) {
    const Digits50 truth = -1 / (1 + exp(Digits50(m)));
    const Digits50 relative = abs(Digits50(kernels::logistic_slope(m)) / truth - 1);
    ASSERT_LT(relative.convert_to<double>(), 0x1p-51) << m;
  }
  EXPECT_EQ(kernels::logistic_slope(0.0), -0.5);
  EXPECT_EQ(kernels::logistic_slope(-0.0), -0.5);
  for (const double huge : {1e4, 1e300, std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(kernels::logistic_slope(huge), 0.0);
    EXPECT_EQ(kernels::logistic_slope(-huge), -1.0);
  }
  EXPECT_EQ(kernels::logistic_slope(std::numeric_limits<double>::quiet_NaN()), 0.0);
}

class LogisticSlopes : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_TRUE(kernels::use_target(GetParam())); }
  void TearDown() override { kernels::use_target(""); }
};

INSTANTIATE_TEST_SUITE_P(EveryTarget, LogisticSlopes, ::testing::ValuesIn(kernels::available_targets()),
                         [](const auto& named) { return named.param; });

TEST_P(LogisticSlopes, HaveTheBitsOfTheScalarFormula) {
  std::mt19937_64 bits(5);
  for (std::size_t n = 0; n < 68; ++n) {
    std::vector<double> margins = {0.0, -0.0, 1e4, -1e4, 708.0, -708.0, 709.5, -745.2, 1e-320, -1e-320, 1e300, -1e300};
    while (margins.size() < 1000 + n) {
      const double x = negative_point(bits, static_cast<int>(margins.size()));
      margins.push_back(bits() % 2 == 0 ? x : -x);
    }
    std::vector<double> expected(margins.size()), values(margins.size());
    std::transform(margins.begin(), margins.end(), expected.begin(),
                   [](double m) { return kernels::logistic_slope(m); });
    std::transform(margins.begin(), margins.end(), values.begin(), [](double m) { return kernels::logistic_value(m); });
    std::vector<double> found(margins.size());
    kernels::logistic_values(margins.data(), margins.size(), found.data());
    ASSERT_EQ(bits_of(found), bits_of(values));
    std::vector<double> slopes(margins.size());
    kernels::logistic_slopes(margins.data(), margins.size(), slopes.data());
    ASSERT_EQ(bits_of(slopes), bits_of(expected));
    kernels::logistic_slopes(margins.data(), margins.size(), margins.data());
    ASSERT_EQ(bits_of(margins), bits_of(expected)) << "in place";
  }
}

class SoftmaxBlocks : public LogisticSlopes {};

INSTANTIATE_TEST_SUITE_P(EveryTarget, SoftmaxBlocks, ::testing::ValuesIn(kernels::available_targets()),
                         [](const auto& named) { return named.param; });

/// The bits of what a row alone gives; one NaN is as good as another.
bool same(double found, double expected) {
  return bits_of(found) == bits_of(expected) || (std::isnan(found) && std::isnan(expected));
}

TEST_P(SoftmaxBlocks, HaveTheBitsOfEachRow) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const std::vector<double> odd = {0.0, -0.0, 1e4, -1e4, 1e300, -1e300, kInfinite, -kInfinite, std::nan("")};
  std::mt19937_64 bits(7);
  std::normal_distribution<double> normal(0, 3);
  for (const std::size_t classes : {2, 3, 10}) {
    for (std::size_t rows = 0; rows < 40; ++rows) {
      const std::size_t stride = rows + 3;
      std::vector<double> scores(classes * stride), labels(rows);
      for (double& score : scores) score = bits() % 20 == 0 ? odd[bits() % odd.size()] : normal(bits);
      for (double& label : labels) label = static_cast<double>(bits() % classes);
      std::vector<double> values = scores, slopes = scores;
      Softmax{}.values({values.data(), stride, rows, classes, labels.data()});
      Softmax{}.slopes({slopes.data(), stride, rows, classes, labels.data()});
      std::vector<double> row(classes), own(classes);
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t k = 0; k < classes; ++k) row[k] = scores[k * stride + i];
        const auto label = static_cast<std::size_t>(labels[i]);
        ASSERT_TRUE(same(values[i], Softmax{}.value(row.data(), classes, label))) << classes << ' ' << rows;
        Softmax{}.slopes(row.data(), classes, label, own.data());
        for (std::size_t k = 0; k < classes; ++k) ASSERT_TRUE(same(slopes[k * stride + i], own[k])) << k;
      }
      for (std::size_t k = 0; k < classes; ++k) {
        for (std::size_t i = rows; i < stride; ++i) ASSERT_TRUE(same(slopes[k * stride + i], scores[k * stride + i]));
      }
    }
  }
}

}  // namespace
}  // namespace sotto
