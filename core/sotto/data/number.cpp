// The nearest binary64 of a decimal. With at most 19 digits the digits are a 64-bit integer m; if m <= 2^53 and there
// are at most 22 of them after the point, m and the power of ten are exact in binary64 and one division, which rounds
// once, gives the nearest number ([Cli90], the fast path). Everything else goes to std::from_chars, which is correctly
// rounded too: the bits are the same on both ways.
// Fails if wrong: data_number_test.cpp, "ShortDecimalsHaveTheBitsOfFromChars".
#include "sotto/data/number.h"

#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace sotto {
namespace {

constexpr bool is_digit(char c) noexcept { return static_cast<unsigned char>(c - '0') < 10; }

/// The number that eight digits spell; false if any is none. Three multiplications add up pairs, fours, eights.
bool take_eight(const char* at, std::uint64_t& number) noexcept {
  if constexpr (std::endian::native != std::endian::little) return false;
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  const std::uint64_t high = word & 0xf0f0f0f0f0f0f0f0;
  const std::uint64_t above_nine = ((word + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0);
  if (high != 0x3030303030303030 || above_nine != 0x3030303030303030) return false;
  word -= 0x3030303030303030;
  word = word * 10 + (word >> 8);
  constexpr std::uint64_t kPairs = 0x000000ff000000ff;
  number = ((word & kPairs) * 0x000f424000000064 + ((word >> 16) & kPairs) * 0x0000271000000001) >> 32;
  return true;
}

/// Takes the digits from `at` on behind those of `mantissa`.
const char* take_digits(const char* at, const char* end, std::uint64_t& mantissa) noexcept {
  std::uint64_t eight = 0;
  while (end - at >= 8 && take_eight(at, eight)) {
    mantissa = mantissa * 100000000 + eight;
    at += 8;
  }
  for (; at != end && is_digit(*at); ++at) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*at - '0');
  return at;
}

/// False where the fast path does not serve.
bool parse_short_decimal(std::string_view text, double& value) noexcept {
  static constexpr std::array<double, 20> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                                     1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};
  constexpr std::ptrdiff_t kMostDigits = 19;  // fit in 64 bits
  constexpr std::ptrdiff_t kLongest = kMostDigits + 2;
  if (text.empty() || text.size() > static_cast<std::size_t>(kLongest)) return false;
  const char* at = text.data();
  const char* end = at + text.size();
  const bool negative = *at == '-';
  if (negative) ++at;
  std::uint64_t mantissa = 0;
  const char* first = at;
  at = take_digits(at, end, mantissa);
  std::ptrdiff_t digits = at - first;
  std::ptrdiff_t decimals = 0;
  if (at != end && *at == '.') {
    first = ++at;
    at = take_digits(at, end, mantissa);
    decimals = at - first;
    digits += decimals;
  }
  if (at != end || digits == 0 || digits > kMostDigits || mantissa > std::uint64_t{1} << 53) return false;
  const double magnitude = static_cast<double>(mantissa) / kPowers[static_cast<std::size_t>(decimals)];
  value = negative ? -magnitude : magnitude;
  return true;
}

}  // namespace

double parse_number(std::string_view text) noexcept {
  constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  if (parse_short_decimal(text, value)) return value;
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return kNotANumber;
  }
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (stop != end || status == std::errc::invalid_argument) return kNotANumber;
  if (status == std::errc::result_out_of_range) {
    // from_chars tells neither which side was left nor a value; the sign of the exponent does.
    const bool tiny = text.find("e-") != text.npos || text.find("E-") != text.npos;
    if (tiny) return 0.0;
    return text.starts_with('-') ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  }
  return value;
}

}  // namespace sotto
