#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/data/encoder.h"
#include "sotto/data/raw_row.h"
#include "sotto/data/row_sink.h"
#include "sotto/data/row_tally.h"

namespace sotto {

struct CellProblem {
  std::uint32_t column = 0;  ///< 1-based column of the file, or LIBSVM index; 0: a label that is no column
  ProblemKind kind = ProblemKind::not_a_number;
};

/// One row ready for a sink; reused from row to row.
struct EncodedRow {
  bool sparse = false;
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  float label = 1.0F;
  bool usable = true;  ///< false: a bad cell or label has made it the zero row
  std::vector<CellProblem> problems;

  void send(RowSink& sink) const;
};

/// Prediction reads past labels and needs none.
enum class LabelUse { required, ignored };

/// An encoder bound to the columns of one file. A cell that is empty, no number or not finite in a numeric column, or a
/// label outside the lists, makes the whole row zero (spec 2.1); the clip comes last. The encoder must outlive it.
class RowEncoder {
 public:
  /// Throws Error{invalid_argument} when the file lacks a column of the schema; columns the schema does not have are
  /// ignored.
  RowEncoder(const Encoder& encoder, const RowReader& reader, LabelUse use = LabelUse::required);
  void encode(const RawRow& raw, EncodedRow& row);
  /// From here on counts go here as well, which is to outlive it; null: to nobody. What rows become does not change.
  void count_into(RowTally* tally) noexcept { tally_ = tally; }

 private:
  void bind_columns(const std::vector<std::string>& names);
  void take_cells(const RawRow& raw, EncodedRow& row);
  void take_numeric(const NumericColumn& numeric, std::string_view cell, std::uint32_t feature, EncodedRow& row);
  void take_values(const RawRow& raw, EncodedRow& row);
  void take_plain_values(std::span<const double> given);
  void take_label(std::string_view text, EncodedRow& row);
  void add_entry(std::uint32_t feature, double value);
  void report(EncodedRow& row, ProblemKind kind) const;
  void count(double value) const noexcept;
  void count_row(const EncodedRow& row, double length) const noexcept;
  void finish(EncodedRow& row);
  void store(EncodedRow& row, std::span<const double> values, int exponent);

  const Encoder& encoder_;
  RowShape shape_;
  LabelUse use_;
  std::vector<std::size_t> positions_;  // of each slot's column in the file
  std::size_t label_position_ = 0;
  std::uint32_t place_ = 0;  // the column being read, for problems
  std::size_t slot_ = 0;     // the same, of the encoder
  RowTally* tally_ = nullptr;
  bool zero_ = false;  // the row has become the zero row
  std::vector<std::uint32_t> columns_;
  std::vector<double> values_;
  std::vector<double> mixed_;
  std::vector<float> stored_;
};

}  // namespace sotto
