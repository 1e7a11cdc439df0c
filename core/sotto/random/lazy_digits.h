#pragma once
#include <array>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sotto/random/bit_source.h"

namespace sotto {

/// The arithmetic in which a decision is taken again when binary64 cannot take it.
using Precise =
    boost::multiprecision::number<boost::multiprecision::cpp_bin_float<192, boost::multiprecision::digit_base_2>,
                                  boost::multiprecision::et_off>;

/// Where digits come from. `extend` gives the next 64 digits of a number of which some are known; a test that wants to
/// know all digits beforehand makes them a function of its arguments, the stream ignores them.
struct StreamDigits {
  BitSource& source;
  std::uint64_t next() noexcept { return source.next(); }
  /// Words that stay until the next call, with readable words after them.
  std::span<const std::uint64_t> take(std::size_t count) noexcept { return source.take(count); }
  std::uint64_t extend(std::uint64_t /*lead*/, int /*index*/) noexcept { return source.next(); }
};

/// A uniform number (lead + 0.m0 m1 m2...) / 2^lead_bits in (0, 1) whose binary digits after the leading ones are
/// drawn when a decision needs them, 64 at a time.
struct LazyDigits {
  static constexpr int kWords = 3;
  std::uint64_t lead = 0;
  int lead_bits = 0;
  int known = 0;
  std::array<std::uint64_t, kWords> more;  ///< the first `known` of them have been drawn

  LazyDigits(std::uint64_t lead_digits, int bits) noexcept : lead(lead_digits), lead_bits(bits) {}

  template <class Digits>
  void extend(Digits& digits, int words) {
    for (; known < words; ++known) more[static_cast<std::size_t>(known)] = digits.extend(lead, known);
  }

  /// What follows the leading digits, in [0, 1]: one half while unknown, then right to 2^-53.
  double rest() const noexcept { return known == 0 ? 0.5 : static_cast<double>(more[0]) * 0x1p-64; }

  /// All known digits.
  Precise precise() const {
    Precise sum = 0;
    for (int i = known; i-- > 0;) sum = ldexp(Precise(sum + more[static_cast<std::size_t>(i)]), -64);
    return ldexp(Precise(sum + lead), -lead_bits);
  }
};

}  // namespace sotto
