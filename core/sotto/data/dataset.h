#pragma once
#include <cstdint>
#include <vector>

#include "sotto/data/facts.h"
#include "sotto/data/row_block.h"
#include "sotto/data/row_sink.h"

namespace sotto {

/// Rows in memory with their declared bound: dense and row-major, or CSR. Made by a DatasetBuilder, immutable after.
class Dataset {
 public:
  const Facts& facts() const noexcept { return facts_; }
  /// All rows; valid while the data set lives and is not moved from.
  RowBlock view() const noexcept;

 private:
  friend class DatasetBuilder;
  explicit Dataset(const Facts& facts) : facts_(facts) {}

  Facts facts_;
  std::vector<float> values_;  // dense rows, or CSR values
  std::vector<std::uint32_t> columns_;
  std::vector<std::uint64_t> offsets_{0};
  std::vector<float> labels_;
};

/// Collects rows and clips each into the declared bound once more on entry: whoever fills it, no stored row is longer
/// than data_norm (up to spec 5.4's 2^-20), none has a NaN or an infinity, and every label is one of the declared
/// classes. A row or label that cannot be kept so becomes the zero row with label 1, which has no effect.
class DatasetBuilder final : public RowSink {
 public:
  /// `facts.rows` is a guess of the number of rows: memory is reserved for at most 2^20 of them.
  explicit DatasetBuilder(const Facts& facts);

  /// Both forms are accepted whatever the storage. Throws Error{invalid_argument} when the shape of the row is not that
  /// of the data set: wrong length, columns not ascending or too large.
  void add_dense(std::span<const float> row, float label) override;
  void add_sparse(std::span<const std::uint32_t> columns, std::span<const float> values, float label) override;

  /// The data set; the builder is empty afterwards.
  Dataset finish();

 private:
  void close_row(std::size_t first_value, float label);

  Dataset dataset_;
};

}  // namespace sotto
