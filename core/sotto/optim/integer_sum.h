#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sotto/linalg/vector.h"
#include "sotto/optim/row_grid.h"

namespace sotto {

__extension__ using WideInteger = __int128;

/// A vector of integers in units of a grid. Rows are added to 64-bit lanes; where sums may become longer the lanes are
/// emptied into 128-bit totals in time. All of it is exact, so that the order of additions does not show.
class IntegerSum {
 public:
  IntegerSum(std::size_t size, const RowGrid& grid);

  const RowGrid& grid() const noexcept { return grid_; }
  std::size_t size() const noexcept { return lanes_.size(); }
  /// Where the next rows are to be added: at least one and at most `rows`, which says how many. The caller adds them.
  std::int64_t* lanes_for(std::uint64_t& rows) noexcept;
  void clear() noexcept;
  void merge(const IntegerSum& other) noexcept;

  /// Coordinate i in units of the grid.
  WideInteger integer(std::size_t i) const noexcept { return lanes_[i] + (totals_.empty() ? 0 : totals_[i]); }
  /// The sum as binary64 numbers: as it is on a narrow grid, else each rounded once.
  double value(std::size_t i) const noexcept { return grid_.step * static_cast<double>(integer(i)); }
  Vector values() const;

 private:
  void empty_lanes() noexcept;

  RowGrid grid_;
  std::uint64_t in_lanes_ = 0;  // rows
  std::vector<std::int64_t> lanes_;
  std::vector<WideInteger> totals_;  // none on a narrow grid
};

}  // namespace sotto
