#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace sotto {

/// The least binary64 number that is at least a + b, both at least 0: a guarantee is never stated below what it adds up
/// to. The larger of two taken from their rounded sum is exact (Dekker), so the comparison is too.
inline double sum_up(double a, double b) noexcept {
  const double sum = a + b;
  const bool below = sum - std::max(a, b) < std::min(a, b);
  return below ? std::nextafter(sum, std::numeric_limits<double>::infinity()) : sum;
}

/// Two parts of a whole that do not add up to more than it.
struct Split {
  double share = 0;
  double rest = 0;
};

/// A share of `whole` and the rest. A ledger rounds each up to its own decimal units, so both are whole numbers of
/// these, rounded down to binary64: neither the ledger's sum nor the sum of the two numbers is above the whole. Where
/// there are too few or too many units for that, both are multiples of the last place of `whole`.
inline Split split(double whole, double share, std::uint64_t units_of_one) noexcept {
  const double units = static_cast<double>(units_of_one);
  const double all = std::floor(whole * units), part = std::floor(all * share);
  if (!(part >= 1) || !(all < 0x1p53)) {
    const double place = std::nextafter(whole, std::numeric_limits<double>::infinity()) - whole;
    const double cut = std::floor(whole * share / place) * place;
    return {cut, whole - cut};
  }
  const auto down = [units](double count) {
    const double value = count / units;
    return std::fma(value, units, -count) > 0 ? std::nextafter(value, 0.0) : value;
  };
  Split parts{down(part), down(all - part)};
  while (sum_up(parts.share, parts.rest) > whole) parts.rest = std::nextafter(parts.rest, 0.0);
  return parts;
}

}  // namespace sotto
