// The fast path of numbers has the bits of the slow one, and takes nothing that the slow one refuses.
#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <random>
#include <string>

#include "sotto/data/number.h"

namespace sotto {
namespace {

/// By the standard library alone; a NaN where it does not take all of the text.
double by_library(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  return stop == end && status == std::errc{} ? value : std::nan("");
}

void expect_same(const std::string& text) {
  const double expected = by_library(text);
  const double got = parse_number(text);
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(got)) << text;
  } else {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(expected)) << text;
  }
}

TEST(Number, ShortDecimalsHaveTheBitsOfFromChars) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 400000; ++i) {
    std::string text = random() % 2 == 0 ? "-" : "";
    const std::size_t digits = random() % 22;
    const std::size_t point = random() % 24;
    for (std::size_t k = 0; k < digits; ++k) {
      if (k == point) text += '.';
      text += static_cast<char>('0' + (random() % 4 == 0 ? 0 : random() % 10));
    }
    if (digits <= point && random() % 8 == 0) text += '.';
    expect_same(text);
  }
}

TEST(Number, TheEndsOfTheFastPathHaveTheBitsOfFromChars) {
  for (const char* text : {"9007199254740992",
                           "9007199254740993",
                           "9007199254740994",
                           "9007199254740993.0",
                           "0.9007199254740993",
                           "18446744073709551615",
                           "18446744073709551616",
                           "9999999999999999999",
                           "99999999999999999999",
                           "0.0000000000000000001",
                           "0.00000000000000000001",
                           "-0",
                           "0",
                           "-0.0",
                           "00000000000000000001",
                           "1.",
                           ".5",
                           "-.5",
                           "12345678",
                           "1234567.8",
                           "123456789.12345678",
                           "1e5",
                           "1E-5",
                           "1.5e300",
                           "0.1",
                           "0.2",
                           "0.3"}) {
    expect_same(text);
  }
}

TEST(Number, WhatIsNoNumberIsNaN) {
  for (const char* text :
       {"",         "-",        ".",        "-.",         "--1",        "1-",         "1..2",        "1.2.3",
        "12 34567", "1234567a", "a2345678", "0.1234567/", "0.1234567:", "0.1234:678", "0.12345678x", "1,5",
        "0x10",     "+-1",      "++1",      " 1"}) {
    EXPECT_TRUE(std::isnan(parse_number(text))) << text;
  }
  EXPECT_EQ(parse_number("+0.25"), 0.25);
}

TEST(Number, EveryByteInEveryPlaceIsTreatedAsFromCharsTreatsIt) {
  const std::string number = "-0.12345678912";
  for (std::size_t place = 0; place < number.size(); ++place) {
    for (int byte = 1; byte < 256; ++byte) {
      std::string text = number;
      text[place] = static_cast<char>(byte);
      const bool other = text.starts_with('+') || text.find_first_of("eE") != text.npos;  // signs and infinities
      if (!other) expect_same(text);
    }
  }
}

}  // namespace
}  // namespace sotto
