#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/data/row_block.h"

namespace sotto {

/// Contiguous rows in visiting order, put together from blocks read one after the other: sources are read in the order
/// in which they lie in memory and the destination stays in the cache. Allocates only to grow.
class WindowBuffer {
 public:
  WindowBuffer(std::uint32_t features, bool sparse) : features_(features), sparse_(sparse) {}

  /// Collects the visits [first, last) of a window. Rows of other visits are passed over.
  void begin(std::uint32_t first, std::uint32_t last);
  /// Takes the rows of `source`; row i is visit number slots[i] of the window. A sparse source must stay until `rows`.
  void place(const RowBlock& source, std::span<const std::uint32_t> slots);
  /// The collected rows; every visit of [first, last) has been placed.
  RowBlock rows();

  /// The memory a window of `rows` rows with `entries` sparse entries takes here.
  static std::uint64_t bytes_for(std::uint64_t rows, std::uint32_t features, bool sparse, std::uint64_t entries);

 private:
  struct SparseRow {
    const std::uint32_t* columns;
    const float* values;
    std::uint32_t visit;
  };
  void place_dense(const RowBlock& source, std::span<const std::uint32_t> slots) noexcept;
  void place_sparse(const RowBlock& source, std::span<const std::uint32_t> slots);
  void lay_out_sparse();

  std::uint32_t features_;
  bool sparse_;
  std::uint32_t first_ = 0;
  std::uint32_t count_ = 0;
  std::vector<float> labels_;
  std::vector<float> dense_;
  std::vector<SparseRow> placed_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint32_t> columns_;
  std::vector<float> values_;
};

}  // namespace sotto
