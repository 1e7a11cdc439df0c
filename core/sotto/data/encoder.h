#pragma once
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sotto/data/facts.h"
#include "sotto/data/label_matcher.h"
#include "sotto/data/projection.h"
#include "sotto/data/row_tally.h"
#include "sotto/data/schema.h"
#include "sotto/data/text_hash.h"

namespace sotto {

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
  /// The value of the constant feature; 0: there is none.
  double intercept() const noexcept { return intercept_of(schema_); }
  /// The columns that give features, in their order; none for a format without columns.
  std::vector<const Column*> used_columns() const;
  /// What a tally of rows has one column for: the columns that give features, or "values" where the format has none, and
  /// last the constant feature.
  std::vector<std::string> tallied_columns() const;
  /// A tally of this shape without rows.
  RowTally empty_tally() const;
  /// "age", "age missing", "job=admin", "intercept", "projection_3".
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
  /// The place in tallied_columns() of a feature before the projection.
  std::size_t tally_column(std::uint32_t feature) const noexcept;
  std::uint32_t intercept_feature() const noexcept { return raw_features_; }
  bool has_intercept() const noexcept { return intercept() != 0.0; }

  Schema schema_;
  std::vector<Slot> slots_;
  std::uint32_t raw_features_ = 0;  // before the intercept
  std::size_t most_entries_ = 0;    // of a row, before the projection
  LabelMatcher labels_;
  Projection projection_;
  bool sparse_ = false;
};

}  // namespace sotto
