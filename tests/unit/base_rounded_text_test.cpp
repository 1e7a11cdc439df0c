#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/base/rounded_text.h"

namespace sotto {
namespace {

double read(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

int digits_of(const std::string& text) {
  int digits = 0;
  for (const char c : text.substr(0, text.find('e'))) digits += (c >= '0' && c <= '9') && (digits > 0 || c != '0');
  return digits;
}

/// One unit in the last of `digits` places, or a little more.
double last_place(double value, int digits) { return std::pow(10, std::floor(std::log10(value)) - digits + 1); }

void expect_rounded(double value, int digits) {
  const std::string up = up_text(value, digits), down = down_text(value, digits);
  const double above = read(up), below = read(down);
  ASSERT_GE(above, value) << number_text(value) << " " << up;
  ASSERT_LE(below, value) << number_text(value) << " " << down;
  // 123000 has three digits that count, and zeros that place them.
  if (up.find('e') != std::string::npos) {
    ASSERT_LE(digits_of(up), digits) << up;
  }
  const double close = last_place(value, digits) * (1 + 1e-9);
  ASSERT_LE(above - value, close) << number_text(value) << " " << up;
  ASSERT_LE(value - below, close) << number_text(value) << " " << down;
  ASSERT_EQ(up_text(-value, digits), "-" + down);
  ASSERT_EQ(down_text(-value, digits), "-" + up);
}

TEST(RoundedText, IsNeverOnTheBetterSideOfARandomNumber) {
  std::mt19937_64 random(20260118);
  for (int i = 0; i < 60000; ++i) {
    const double value = std::fabs(std::bit_cast<double>(random()));
    if (!(value >= std::numeric_limits<double>::min()) || value > 1e300) continue;
    for (const int digits : {1, 2, 3, 4, 6, 15}) expect_rounded(value, digits);
  }
}

TEST(RoundedText, IsNeverOnTheBetterSideNextToAShortDecimal) {
  std::mt19937_64 random(7);
  std::uniform_int_distribution<int> power(-12, 6), mantissa(1, 9999999);
  for (int i = 0; i < 20000; ++i) {
    const double at = read(std::to_string(mantissa(random)) + "e" + std::to_string(power(random)));
    for (const double value : {std::nextafter(at, 0.0), at, std::nextafter(at, 1e300)}) {
      for (const int digits : {1, 3, 4, 6}) expect_rounded(value, digits);
    }
  }
}

TEST(RoundedText, LeavesShortNumbersAsTheyAre) {
  for (const char* text : {"1", "0.1", "1e-06", "0.3", "12.5", "1e-300", "0.0001", "999999", "2.5e-09"}) {
    EXPECT_EQ(up_text(read(text)), text);
    EXPECT_EQ(down_text(read(text)), text);
  }
  EXPECT_EQ(up_text(1e6), "1e+06");
}

TEST(RoundedText, RoundsAwayFromTheNearest) {
  EXPECT_EQ(up_text(1.0000004), "1.00001");
  EXPECT_EQ(up_text(1.2349e-6, 3), "1.24e-06");
  EXPECT_EQ(up_text(1.2301e-6, 3), "1.24e-06");
  EXPECT_EQ(up_text(std::nextafter(1e-6, 1.0), 3), "1.01e-06");
  EXPECT_EQ(up_text(0.99999999), "1");
  EXPECT_EQ(up_text(999999.5), "1e+06");
  EXPECT_EQ(up_text(0.0000999999999), "0.0001");
  EXPECT_EQ(down_text(1.9999999), "1.99999");
  EXPECT_EQ(down_text(0.1 - 1e-17), "0.0999999") << "the double below 0.1";
}

TEST(RoundedText, ZeroHasNoSignAndInfinityAName) {
  EXPECT_EQ(up_text(-0.0), "0");
  EXPECT_EQ(down_text(-0.0), "0");
  EXPECT_EQ(up_text(std::numeric_limits<double>::infinity()), "infinite");
  EXPECT_EQ(up_text(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(read(up_text(std::numeric_limits<double>::denorm_min())), std::numeric_limits<double>::denorm_min());
  EXPECT_GE(read(up_text(std::numeric_limits<double>::max())), std::numeric_limits<double>::max());
}

TEST(RoundedText, AGuaranteeIsRoundedUpInBoth) {
  EXPECT_EQ(guarantee_text(1.0000004, 1.2349e-6), "epsilon 1.00001, delta 1.24e-06");
  EXPECT_EQ(guarantee_text(1, 0), "epsilon 1, delta 0");
}

TEST(RoundedText, WholeUnitsAreDecimalsExactly) {
  EXPECT_EQ(decimal_text(1000000000000, 18), "1e-06") << "not 1.0000000000000002e-06";
  EXPECT_EQ(decimal_text(999999999, 18), "9.99999999e-10") << "not 9.999999990000001e-10";
  EXPECT_EQ(decimal_text(0, 18), "0");
  EXPECT_EQ(decimal_text(1, 18), "1e-18");
  EXPECT_EQ(decimal_text(4611686018427387904, 18), "4.611686018427387904");
}

TEST(Fields, NumbersAreDecimalAndHaveNoNegativeZero) {
  EXPECT_FALSE(std::signbit(parse_number("-0.0", "delta")));
  for (const char* text : {"0x10", "0X1p3", "1e", "", "inf", "nan", " 1", "1 ", "+1", "0b1"}) {
    EXPECT_THROW(parse_number(text, "delta"), Error) << text;
  }
}

TEST(RoundedText, CountsAreWordsWherePeopleSayWords) {
  EXPECT_EQ(times_text(1), "once");
  EXPECT_EQ(times_text(2), "twice");
  EXPECT_EQ(times_text(200), "200 times");
  EXPECT_EQ(counted_text(1, "step"), "1 step");
  EXPECT_EQ(counted_text(0, "step"), "0 steps");
}

}  // namespace
}  // namespace sotto
