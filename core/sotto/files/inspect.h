#pragma once
#include <string>
#include <vector>

#include "sotto/files/load.h"

namespace sotto {

/// What the rows show about one column. NOT FOR RELEASE.
struct ColumnProfile {
  static constexpr std::size_t kMaxDistinct = 1000;
  std::string name;
  std::uint64_t numbers = 0;  ///< finite ones
  std::uint64_t empty = 0;
  std::uint64_t others = 0;  ///< texts, NaN, infinities
  double min = 0.0;          ///< of the finite numbers; 0 when there are none
  double max = 0.0;
  std::vector<std::string> distinct;  ///< sorted; empty when there are more than kMaxDistinct
  bool too_many_distinct = false;
};

/// The observed profile of every column of a file, and of the label. NOT FOR RELEASE.
struct TableProfile {
  std::uint64_t rows = 0;
  std::uint32_t features = 0;          ///< LIBSVM: the largest index; IDX: values a row
  std::vector<ColumnProfile> columns;  ///< delimited text: all columns; otherwise one for all values together
  ColumnProfile label;
};
TableProfile profile_rows(const std::string& path, const Schema& schema);

/// For `sotto data info`: everything the holder of a file wants to know before declaring bounds or packing.
/// NOT FOR RELEASE: it describes private rows.
struct InspectReport {
  static constexpr bool kForRelease = false;
  FileFormat format = FileFormat::csv;
  TableProfile profile;
  std::string undeclared;  ///< what must still be declared; empty when the schema covers the file
  LoadReport checked;      ///< problems against the declarations; only rows when something is undeclared
};
InspectReport inspect(const std::string& path, const Schema& schema);

/// Fills what the schema leaves open (ranges, categories, label values, number of features) from the rows and sets
/// `bounds_from_data`: a model trained with the result is not private (spec 8). The result is complete.
Schema assume_bounds_from_data(const std::string& path, const Schema& schema);

}  // namespace sotto
