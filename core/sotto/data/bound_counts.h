#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sotto/base/sensitive.h"
#include "sotto/linalg/vector.h"

/// Counts from which bounds are found privately (bounds.h). A row adds at most one to each of them.
namespace sotto {

/// Public candidates for a bound on sizes, ascending: (1 + i/16) 2^j, i = 0 to 15, j = -20 to 39.
std::vector<double> size_grid();
/// Public candidates for bounds of numbers of at most that size, ascending: 129 at equal distances, 0 in the middle.
std::vector<double> range_grid(double largest);

/// How numbers, one a row, lie to candidates for a bound.
class BoundCounts {
 public:
  /// The largest the score of one candidate may move against that of another when one row is replaced, added or
  /// removed. Scores are multiples of kGrid, and exact for fewer than 2^40 rows.
  static constexpr double kRange = 1;
  static constexpr double kGrid = 0x1p-12;

  explicit BoundCounts(std::vector<double> grid);
  const std::vector<double>& grid() const noexcept { return grid_; }
  /// So many rows with this number. One that is not finite is not counted.
  void add(double value, std::uint64_t rows = 1) noexcept;
  /// One score for each candidate t: -max(0, rows below t - tail * rows counted), the product rounded down to the grid.
  /// Best for every t below which there are few.
  Sensitive<Vector> below(double tail) const;
  /// The same for rows above t.
  Sensitive<Vector> above(double tail) const;

 private:
  double allowed(double tail) const noexcept;

  std::vector<double> grid_;
  std::vector<std::uint64_t> cells_;  // 2 i + 1: equal to candidate i; 2 i: between candidates i - 1 and i
};

/// Longer texts, empty ones and what is not UTF-8 are no categories.
inline constexpr std::size_t kLongestCategory = 256;
bool may_be_category(std::string_view text) noexcept;

}  // namespace sotto
