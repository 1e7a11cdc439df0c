#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

namespace sotto {

/// The least binary64 number that is at least a + b, both at least 0: a guarantee is never stated below what it adds up
/// to. The larger of two taken from their rounded sum is exact (Dekker), so the comparison is too.
inline double sum_up(double a, double b) noexcept {
  const double sum = a + b;
  const bool below = sum - std::max(a, b) < std::min(a, b);
  return below ? std::nextafter(sum, std::numeric_limits<double>::infinity()) : sum;
}

/// A share of `whole` for which what is left, whole - share, has no rounding either: both are multiples of the last
/// place of `whole`, so that they add up to it.
inline double share_of(double whole, double share) noexcept {
  const double place = std::nextafter(whole, std::numeric_limits<double>::infinity()) - whole;
  return std::floor(whole * share / place) * place;
}

}  // namespace sotto
