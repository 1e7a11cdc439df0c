#pragma once
#include <cstddef>
#include <cstdint>

namespace sotto {

/// The grid to which a row's contribution is rounded, coordinate by coordinate, before it is added: sums over rows are
/// sums of integers, the same in any order and any parts (spec 5.5). Public, and part of a plan.
struct RowGrid {
  double bound = 0;        ///< on the norm of a contribution
  double step = 0;         ///< h, a power of two
  std::uint64_t room = 0;  ///< contributions a sum may have within 62 bits
  bool narrow = false;     ///< sums of all rows are binary64 numbers as they are

  /// The factor 1/h that makes a contribution one in units of the grid: exact.
  double scale() const noexcept { return 1 / step; }
};

/// For sums that leave with noise, at public weights: h at least 2^-32 bound, and so large that no sum of at most
/// `capacity` contributions reaches 2^53 h. Throws Error{invalid_argument} for 2^50 rows or more.
RowGrid narrow_grid(double bound, std::uint64_t capacity);
/// For sums that are computed with, at secret weights or before a map: h about 2^-51 bound, sums of 128 bits.
RowGrid fine_grid(double bound);

/// What rounding adds to the distance of two sums of contributions of `numbers` coordinates, one row replaced, or added:
/// h sqrt(n), or half of that, and what computed contributions may be longer than exact ones.
double added_distance(const RowGrid& grid, std::size_t numbers, bool replaced) noexcept;
/// How far a sum may be from that of the contributions, for each row: h sqrt(n)/2.
double row_rounding(const RowGrid& grid, std::size_t numbers) noexcept;

}  // namespace sotto
