#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/data/row_block.h"
#include "sotto/linalg/crossings.h"

namespace sotto {

/// A few rows transposed, without the columns that are 0 in all of them. Dense and sparse rows give the same.
class RowTile {
 public:
  explicit RowTile(std::size_t features);
  /// Takes the rows of a block, at most kernels::kTileRows; where there are fewer, the others are zero rows.
  void fill(const RowBlock& rows) noexcept;
  /// The columns, ascending.
  std::span<const std::uint32_t> columns() const noexcept { return {columns_.data(), count_}; }
  /// Slots of kernels::kTileRows values: zeros, then those of each column.
  const float* values() const noexcept { return values_.data(); }
  std::uint32_t slot(std::size_t column) const noexcept { return slots_[column]; }

 private:
  void fill_dense(const RowBlock& rows) noexcept;
  void fill_sparse(const RowBlock& rows) noexcept;
  void list_marked() noexcept;

  std::size_t count_ = 0;
  std::vector<std::uint32_t> columns_;
  std::vector<std::uint32_t> slots_;
  std::vector<float> values_;
  std::vector<float> no_row_;
  std::vector<std::uint64_t> marked_;  // a bit a column
};

}  // namespace sotto
