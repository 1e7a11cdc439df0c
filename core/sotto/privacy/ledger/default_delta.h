#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace sotto {

/// The delta of a new ledger whose holder names none: 1/(10 rows^1.1), rounded down to a power of ten. It is far below
/// 1/rows, at which a row could be published whole, and leaves room for the numerical delta of noise.
inline double default_delta(std::uint64_t rows) {
  const double digits = 1 + 1.1 * std::log10(static_cast<double>(std::max<std::uint64_t>(rows, 1)));
  return 1 / std::pow(10.0, std::ceil(digits));
}

}  // namespace sotto
