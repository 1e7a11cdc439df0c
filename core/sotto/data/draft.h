#pragma once
#include <string>
#include <vector>

#include "sotto/data/column_profile.h"
#include "sotto/data/raw_row.h"
#include "sotto/data/schema.h"

/// A first schema for the holder of a table: the kind of every column, a range or a list of values, the label's classes.
/// What is taken from the rows is a suggestion: its column is not `is_public`, and a model that is trained with it is
/// stamped *not private* until the holder confirms it (unconfirmed() in schema.h). NOT FOR RELEASE before that.
namespace sotto {

/// The observed profile of every column of a table, and of the label. NOT FOR RELEASE.
struct TableProfile {
  std::uint64_t rows = 0;
  std::uint32_t features = 0;          ///< LIBSVM: the largest index; IDX: values a row
  std::vector<ColumnProfile> columns;  ///< delimited text: all columns; otherwise one for all values together
  ColumnProfile label;
};

/// A text column keeps this many values, the commonest; the others are its nameless other value.
inline constexpr std::size_t kDraftedCategories = 64;

/// A column and, for the holder, why it was drafted as it is.
struct DraftedColumn {
  Column column;
  std::string why;
};

struct SchemaDraft {
  Schema schema;
  std::vector<DraftedColumn> columns;  ///< those of the schema
};

/// Takes the rows of a table one by one, for a host that owns them. NOT FOR RELEASE.
class TableProfiler {
 public:
  TableProfiler(RowShape shape, std::vector<std::string> columns, std::uint32_t features = 0);
  void add(const RawRow& row);
  /// `label`: the name of its column; formats without columns have a label apart.
  TableProfile finish(const std::string& label);

 private:
  RowShape shape_;
  std::vector<std::string> columns_;
  std::vector<ColumnProfiler> profilers_;
  ColumnProfiler label_;
  TableProfile table_;
};

/// The same of all rows of a reader.
TableProfile profile_rows(RowReader& reader, const std::string& label);

/// Drafts what `declared` leaves open. What is declared stays as it is, and public. The norm and the intercept are
/// proposed where none is declared.
SchemaDraft draft_schema(const TableProfile& table, const Schema& declared);

/// Leaves of each suggested column its kind, and whether its numbers may be missing, for whoever takes these for public:
/// ranges, values and scales are forgotten, and missing numbers are those of the public spellings, not of the ones that
/// some row has. The columns are public then.
void forget_suggestions(Schema& schema);

/// The classes of the label from its values, where the declaration leaves them open and does not cover them. True if
/// something was taken from the rows. Throws Error{invalid_argument} if they are no classes.
bool draft_label(Label& label, const ColumnProfile& profile);

/// [min, max] moved outward to multiples of 1, 2 or 5 times a power of ten, about a fifth of the width or less.
Range readable_range(double min, double max);

/// A norm for rows of these columns, from their kinds alone: sqrt(categories + numbers / 3 + intercept^2), rounded up to
/// a tenth. A category gives one entry of 1; a number that is spread evenly over its range has a mean square of 1/3.
double proposed_norm(const Schema& schema);

}  // namespace sotto
