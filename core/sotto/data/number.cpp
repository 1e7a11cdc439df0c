// The nearest binary64 of a decimal. With at most 19 digits the digits are a 64-bit integer m; if m <= 2^53 and there
// are at most 22 of them after the point, m and the power of ten are exact in binary64 and one division, which rounds
// once, gives the nearest number ([Clinger90], the fast path). Everything else goes to std::from_chars, which is correctly
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

constexpr std::uint64_t kZeros = 0x3030303030303030;  // "00000000"

/// The number that eight digits spell, the first in the lowest byte; false if any is none. Three multiplications add up
/// pairs, fours, eights.
bool take_eight(std::uint64_t word, std::uint64_t& number) noexcept {
  constexpr std::uint64_t kHigh = 0xf0f0f0f0f0f0f0f0;
  if ((word & kHigh) != kZeros || ((word + 0x0606060606060606) & kHigh) != kZeros) return false;
  word -= kZeros;
  word = word * 10 + (word >> 8);
  constexpr std::uint64_t kPairs = 0x000000ff000000ff;
  number = ((word & kPairs) * 0x000f424000000064 + ((word >> 16) & kPairs) * 0x0000271000000001) >> 32;
  return true;
}

std::uint64_t word_at(const char* at) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

constexpr std::array<std::uint64_t, 9> kTens = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/// Takes digits up to `end` behind those of `mantissa`; false if there is anything else. At least eight bytes from
/// `begin` to `end` can be read. No branch depends on how many digits the last word has: that would be guessed wrong
/// half the time.
bool take_to_end(const char* begin, const char* at, const char* end, std::uint64_t& mantissa) noexcept {
  if (end - begin < 8 || std::endian::native != std::endian::little) {
    for (; at != end && is_digit(*at); ++at) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*at - '0');
    return at == end;
  }
  std::uint64_t number = 0;
  for (; end - at >= 8; at += 8) {
    if (!take_eight(word_at(at), number)) return false;
    mantissa = mantissa * kTens[8] + number;
  }
  const auto left = static_cast<unsigned>(end - at);  // 0 to 7: zeros take the place of what is before them
  const std::uint64_t before = ~std::uint64_t{0} >> (8 * left);
  const std::uint64_t word = word_at(end - 8);
  if (!take_eight((word & ~before) | (kZeros & before), number)) return false;
  mantissa = mantissa * kTens[left] + number;
  return true;
}

/// False where the fast path does not serve.
bool parse_short_decimal(std::string_view text, double& value) noexcept {
  static constexpr std::array<double, 20> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                                     1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};
  constexpr std::size_t kMostDigits = 19;  // fit in 64 bits
  if (text.empty() || text.size() > kMostDigits + 2) return false;
  const char* at = text.data();
  const char* end = at + text.size();
  const bool negative = *at == '-';
  at += negative ? 1 : 0;  // no branch, here and below: signs cannot be guessed
  std::uint64_t mantissa = 0;
  auto digits = static_cast<std::size_t>(end - at);
  std::size_t decimals = 0;
  for (; at != end && is_digit(*at); ++at) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*at - '0');
  if (at != end && *at == '.') {
    ++at;
    --digits;
    decimals = static_cast<std::size_t>(end - at);
  }
  const bool all = digits > 0 && digits <= kMostDigits && take_to_end(text.data(), at, end, mantissa);
  if (!all || mantissa > std::uint64_t{1} << 53) return false;
  const double magnitude = static_cast<double>(mantissa) / kPowers[decimals];
  const std::uint64_t sign = static_cast<std::uint64_t>(negative) << 63;
  value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) | sign);
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
