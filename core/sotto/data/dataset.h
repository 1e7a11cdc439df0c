#pragma once
#include <cstdint>
#include <vector>

#include "sotto/data/facts.h"
#include "sotto/data/row_block.h"
#include "sotto/data/row_sink.h"
#include "sotto/data/scan_order.h"

namespace sotto {

/// Rows in memory with their declared bound: dense and row-major, or CSR. Raw rows come in through a DatasetBuilder,
/// which clips them; rows that were stored before are appended bit for bit.
class Dataset {
 public:
  /// Without rows yet, whatever facts.rows says.
  explicit Dataset(const Facts& facts) : Dataset(facts, block_rows_for(facts.features, facts.sparse)) {}
  /// With the blocks of other storage.
  Dataset(const Facts& facts, std::uint32_t block_rows);

  /// facts().rows is the number of rows held.
  const Facts& facts() const noexcept { return facts_; }
  /// The positions per block that an engine over these rows has (engine.h).
  std::uint32_t block_rows() const noexcept { return block_rows_; }
  /// All rows; valid while the data set lives, is not moved from and gets no more rows.
  RowBlock view() const noexcept;

  /// Makes room for so many rows and, when sparse, so many entries in all.
  void reserve(std::uint64_t rows, std::uint64_t entries);
  /// Appends rows as they are. They must have the shape of the data set and keep its bound, as the rows of a checked
  /// block file and of an engine do.
  void append(const RowBlock& block);

 private:
  friend class DatasetBuilder;

  Facts facts_;
  std::uint32_t block_rows_;
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
