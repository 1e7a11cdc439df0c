#include "sotto/optim/row_tile.h"

#include <algorithm>
#include <array>
#include <bit>

namespace sotto {

using kernels::kTileRows;

namespace {

template <std::size_t kCount>
void add_bits(const float* row, std::array<std::uint32_t, kCount>& any) noexcept {
  for (std::size_t j = 0; j < kCount; ++j) any[j] |= std::bit_cast<std::uint32_t>(row[j]) << 1;
}

}  // namespace

RowTile::RowTile(std::size_t features)
    : columns_(features + 1),
      slots_(features),
      values_((features + 2) * kTileRows),
      no_row_(features),
      marked_((features + 63) / 64) {}

void RowTile::fill(const RowBlock& rows) noexcept { rows.sparse() ? fill_sparse(rows) : fill_dense(rows); }

void RowTile::fill_dense(const RowBlock& rows) noexcept {
  constexpr std::size_t kTogether = 8;  // columns
  std::array<const float*, kTileRows> x{};
  for (std::size_t i = 0; i < kTileRows; ++i) x[i] = i < rows.rows ? rows.dense + i * rows.features : no_row_.data();
  std::uint32_t count = 0;
  for (std::size_t first = 0; first < slots_.size(); first += kTogether) {
    const std::size_t width = std::min(kTogether, slots_.size() - first);
    std::array<std::uint32_t, kTogether> any{};  // bits without the sign: not 0 where a row is not 0
    if (width == kTogether) {
      for (const float* row : x) add_bits<kTogether>(row + first, any);
    } else {
      for (std::size_t j = 0; j < width; ++j) {
        for (const float* row : x) any[j] |= std::bit_cast<std::uint32_t>(row[first + j]) << 1;
      }
    }
    for (std::size_t j = 0; j < width; ++j) {
      // Written first, kept if something is there: which columns are empty is hard to predict.
      columns_[count] = static_cast<std::uint32_t>(first + j);
      count += any[j] != 0 ? 1 : 0;
      slots_[first + j] = any[j] != 0 ? count : 0;
    }
  }
  count_ = count;
  for (std::size_t at = 0; at < count; ++at) {
    for (std::size_t i = 0; i < kTileRows; ++i) values_[(at + 1) * kTileRows + i] = x[i][columns_[at]];
  }
}

void RowTile::fill_sparse(const RowBlock& rows) noexcept {
  for (const std::uint32_t column : columns()) slots_[column] = 0;
  const auto for_entries = [&](const auto& visit) {
    for (std::size_t i = 0; i < rows.rows; ++i) {
      for (std::uint64_t at = rows.offsets[i]; at < rows.offsets[i + 1]; ++at) {
        if (rows.values[at] != 0) visit(i, rows.columns[at], rows.values[at]);
      }
    }
  };
  for_entries(
      [&](std::size_t, std::uint32_t column, float) { marked_[column / 64] |= std::uint64_t{1} << column % 64; });
  list_marked();
  for_entries(
      [&](std::size_t i, std::uint32_t column, float value) { values_[slots_[column] * kTileRows + i] = value; });
}

/// Gives every marked column a slot of zeros, and takes the marks away.
void RowTile::list_marked() noexcept {
  std::uint32_t count = 0;
  for (std::size_t word = 0; word < marked_.size(); ++word) {
    for (std::uint64_t bits = marked_[word]; bits != 0; bits &= bits - 1) {
      const auto column = static_cast<std::uint32_t>(word * 64 + std::countr_zero(bits));
      columns_[count] = column;
      slots_[column] = ++count;
      std::fill_n(values_.data() + count * kTileRows, kTileRows, 0.0F);
    }
    marked_[word] = 0;
  }
  count_ = count;
}

}  // namespace sotto
