#pragma once
#include <cstdint>
#include <span>

namespace sotto {

/// Where encoded rows go: a data set in memory, a block file, a CSV file. Labels are as `Facts` says for the number
/// of classes; the columns of a sparse row ascend.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void add_dense(std::span<const float> row, float label) = 0;
  virtual void add_sparse(std::span<const std::uint32_t> columns, std::span<const float> values, float label) = 0;
};

}  // namespace sotto
