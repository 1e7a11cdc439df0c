#pragma once
#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "capi/sotto_c.h"
#include "sotto/base/sha256.h"
#include "sotto/data/encoder.h"
#include "sotto/data/row_check.h"
#include "sotto/data/row_encoder.h"

namespace sotto::capi {

/// The columns of a table, for an encoder to be bound to. Rows are handed over one by one, not read.
class TableColumns final : public RowReader {
 public:
  TableColumns(RowShape shape, std::vector<std::string> columns, std::uint32_t features)
      : shape_(shape), columns_(std::move(columns)), features_(features) {}
  RowShape shape() const noexcept override { return shape_; }
  const std::vector<std::string>& columns() const noexcept override { return columns_; }
  std::uint32_t features() const noexcept override { return features_; }
  bool next(RawRow&) override { return false; }

 private:
  RowShape shape_;
  std::vector<std::string> columns_;
  std::uint32_t features_;
};

/// A multiset of rows in 256 bits: the sum of the rows' hashes modulo 2^256, so that the order of rows has no effect.
class RowMultiset {
 public:
  RowMultiset() = default;
  /// From rows() and sum_text(). Throws Error{invalid_data} for what is not such a text.
  RowMultiset(std::uint64_t rows, std::string_view sum);
  void add(const Digest& row) noexcept;
  /// The rows of both, however they were parted.
  void add(const RowMultiset& other) noexcept;
  std::string fingerprint() const;
  std::string sum_text() const;
  std::uint64_t rows() const noexcept { return rows_; }

 private:
  using Sum = std::array<std::uint64_t, 4>;
  void add_sum(const Sum& words) noexcept;

  Sum sum_{};
  std::uint64_t rows_ = 0;
};

/// Whether the raw rows are to be identified; for predictions they are not.
enum class RowHashing { on, off };

/// Rows of one table to vectors. Arrays have shape `dense`; columns have shape `cells`.
class TableEncoder {
 public:
  TableEncoder(const std::string& schema, std::vector<std::string> columns, LabelUse use,
               RowHashing hashing = RowHashing::on);
  TableEncoder(const TableEncoder&) = delete;  // its parts refer to each other
  TableEncoder& operator=(const TableEncoder&) = delete;

  Facts facts() const noexcept { return encoder_.facts(raw_.rows()); }
  std::uint32_t values() const noexcept { return values_; }
  void encode_cells(std::span<const sotto_cell> cells, float* row, float& label);
  void encode_values(std::span<const double> values, const sotto_cell& label, float* row, float& label_out);
  std::size_t column_count() const noexcept { return table_.columns().size(); }
  const std::vector<std::string>& columns() const noexcept { return table_.columns(); }
  std::string fingerprint() const { return raw_.fingerprint(); }
  /// Whether the row encoded last kept its values. About a value: never for training.
  bool usable() const noexcept { return encoded_.usable; }
  const RowMultiset& raw() const noexcept { return raw_; }
  /// From here on counts what becomes of the rows. About values: for those who may read them.
  void count();
  RowCheck check() const { return check_of(encoder_, tally_); }

 private:
  void require_shape(bool array) const;
  void put(float* row, float& label);
  void hash_cells(std::span<const sotto_cell> cells);
  void hash_values(std::span<const double> values, std::string_view label);

  Encoder encoder_;
  std::uint32_t values_;
  TableColumns table_;
  RowHashing hashing_;
  std::vector<std::size_t> hashed_order_;  ///< the columns by their names: in whatever order they were declared
  RowEncoder row_encoder_;
  RowMultiset raw_;
  std::vector<std::string_view> texts_;
  std::vector<double> numbers_;
  std::vector<char> hashed_;
  EncodedRow encoded_;
  RowTally tally_;
};

}  // namespace sotto::capi

struct sotto_encoder {
  sotto::capi::TableEncoder table;
};
