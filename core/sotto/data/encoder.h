#pragma once
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sotto/data/facts.h"
#include "sotto/data/label_matcher.h"
#include "sotto/data/projection.h"
#include "sotto/data/raw_row.h"
#include "sotto/data/row_sink.h"
#include "sotto/data/schema.h"
#include "sotto/data/text_hash.h"

namespace sotto {

/// What a strict check has to say about one cell. Never told by training.
enum class ProblemKind { empty_cell, not_a_number, not_finite, out_of_range, undeclared_category, unknown_label };
std::string_view name_of(ProblemKind kind) noexcept;

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

/// The public map from raw columns to vectors, compiled from a complete schema: scaling, one-hot, intercept,
/// projection. It holds nothing that was read from a row.
class Encoder {
 public:
  /// Throws Error{invalid_argument} unless the schema is complete and consistent.
  explicit Encoder(Schema schema);

  const Schema& schema() const noexcept { return schema_; }
  std::uint32_t features() const noexcept { return projection_.output_features(); }
  double data_norm() const noexcept { return row_norm_bound(schema_); }
  /// The largest norm of a row before it is clipped, where declarations alone bound it.
  std::optional<double> largest_norm() const;
  bool sparse() const noexcept { return sparse_; }
  std::uint32_t classes() const noexcept { return class_count(schema_.label); }
  Facts facts(std::uint64_t rows) const noexcept { return {rows, features(), data_norm(), sparse(), classes()}; }
  /// "age", "job=admin", "intercept", "projection_3".
  std::string feature_name(std::uint32_t feature) const;

 private:
  friend class RowEncoder;
  struct Slot {
    std::size_t column;           // in schema_.columns
    std::uint32_t first_feature;  // of the features it gives
    std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> categories;
  };
  void lay_out_columns();
  bool decide_sparse() const;
  std::uint32_t intercept_feature() const noexcept { return raw_features_; }
  bool has_intercept() const noexcept { return schema_.intercept != 0.0; }

  Schema schema_;
  std::vector<Slot> slots_;
  std::uint32_t raw_features_ = 0;  // before the intercept
  std::size_t most_entries_ = 0;    // of a row, before the projection
  LabelMatcher labels_;
  Projection projection_;
  bool sparse_ = false;
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

 private:
  void bind_columns(const std::vector<std::string>& names);
  void take_cells(const RawRow& raw, EncodedRow& row);
  void take_numeric(const NumericColumn& numeric, std::string_view cell, std::uint32_t feature, EncodedRow& row);
  void take_values(const RawRow& raw, EncodedRow& row);
  void take_plain_values(std::span<const double> given);
  void take_label(std::string_view text, EncodedRow& row);
  void add_entry(std::uint32_t feature, double value);
  void report(EncodedRow& row, ProblemKind kind) const { row.problems.push_back({place_, kind}); }
  void finish(EncodedRow& row);
  void store(EncodedRow& row, std::span<const double> values, int exponent);

  const Encoder& encoder_;
  RowShape shape_;
  LabelUse use_;
  std::vector<std::size_t> positions_;  // of each slot's column in the file
  std::size_t label_position_ = 0;
  std::uint32_t place_ = 0;  // the column being read, for problems
  bool zero_ = false;        // the row has become the zero row
  std::vector<std::uint32_t> columns_;
  std::vector<double> values_;
  std::vector<double> mixed_;
  std::vector<float> stored_;
};

}  // namespace sotto
