#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/random/bit_source.h"

namespace sotto {

/// The nearest rate at or above `rate`, in (0, 1], that is a multiple of 2^-64.
double exact_rate(double rate);

/// Draws sets of the positions 0 to rows - 1, each position in with probability `rate`, independently. Building it
/// takes time and memory in proportion to the spread of the sizes, a draw in proportion to its size.
class PoissonCoins {
 public:
  /// A number of 128 binary digits after the point, the leading 64 first.
  using Fraction = std::array<std::uint64_t, 2>;

  /// `rate` from exact_rate().
  PoissonCoins(double rate, std::uint64_t rows);

  /// One set, ascending.
  std::vector<std::uint64_t> draw(BitSource& bits) const;

  double rate() const noexcept { return rate_; }
  std::uint64_t rows() const noexcept { return rows_; }
  /// thresholds()[i] is P(size <= least() + i), rounded down. The largest size has none.
  std::span<const Fraction> thresholds() const noexcept { return thresholds_; }
  std::uint64_t least() const noexcept { return least_; }

 private:
  std::uint64_t draw_size(BitSource& bits) const noexcept;

  double rate_;
  std::uint64_t rows_;
  std::uint64_t least_ = 0;  // size
  std::vector<Fraction> thresholds_;
};

/// The most that the law of one draw is from that of independent coins, in total variation, if no table of thresholds
/// has more than `sizes` of them.
double coins_distance(double sizes) noexcept;

}  // namespace sotto
