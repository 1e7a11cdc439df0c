// What: the grid of sums over rows, and what it costs.
// Formula: contributions v, |v| <= C, become h rint(v/h), each within h sqrt(n)/2 of v. At the same weights all rows but
//   one cancel: |sum - sum'| <= D + h sqrt(n) (one replaced) or C + h sqrt(n)/2 (one added). Narrow: h = 2^k the least with
//   h >= 2^-32 C and m (C/h + 1) <= 2^53. Fine: the least h with C/h <= 2^51 (1 - 2^-20).
// Conditions: computed contributions are within 2^-41 C of such as the loss's bounds are for: slopes within their range, a
//   product rounded once, clip factors within 2^-40 of theirs; at most m rows.
// Reference: spec 5.5; docs/notes/sums.md.
// Fails if wrong: RowGrid.*, ExactSums.* (128-bit reference, neighbours that come close to the bound).
#include "sotto/optim/row_grid.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"

namespace sotto {
namespace {

constexpr double kMostRows = 0x1p50;
constexpr double kUp = 1 + 0x1p-40;

/// The least power of two that is not below x.
double power_of_two_above(double x) noexcept {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(1.0, fraction == 0.5 ? exponent - 1 : exponent);
}

double root(std::size_t numbers) noexcept { return std::sqrt(static_cast<double>(numbers)) * kUp; }

}  // namespace

// A computed contribution may be longer than the bound by a little, which kUp covers.
RowGrid narrow_grid(double bound, std::uint64_t capacity) {
  const double rows = static_cast<double>(std::max<std::uint64_t>(capacity, 1));
  require(rows < kMostRows, "rows", "must be below 2^50");
  const double most = 0x1p53 / rows * (1 - 0x1p-40) - 1;  // units in a contribution
  const double step = power_of_two_above(std::max(0x1p-32 * bound, bound * kUp / most));
  return {bound, step, capacity, true};
}

RowGrid fine_grid(double bound) {
  const double step = power_of_two_above(bound / (0x1p51 * (1 - 0x1p-20)));
  return {bound, step, std::uint64_t{1} << 10U, false};
}

double added_distance(const RowGrid& grid, std::size_t numbers, bool replaced) noexcept {
  return (grid.step * root(numbers) * (replaced ? 1.0 : 0.5) + 0x1p-40 * grid.bound) * kUp;
}

double row_rounding(const RowGrid& grid, std::size_t numbers) noexcept { return grid.step * root(numbers) / 2; }

}  // namespace sotto
