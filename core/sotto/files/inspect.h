#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sotto/data/draft.h"
#include "sotto/data/row_check.h"
#include "sotto/files/load.h"

namespace sotto {

/// Reads the whole file once. NOT FOR RELEASE.
TableProfile profile_rows(const std::string& path, const Schema& schema);

/// For `sotto data info`: everything the holder of a file wants to know before declaring bounds or packing.
/// NOT FOR RELEASE: it describes private rows.
struct InspectReport {
  static constexpr bool kForRelease = false;
  FileFormat format = FileFormat::csv;
  TableProfile profile;
  std::string undeclared;           ///< what must still be declared; empty when the schema covers the file
  LoadReport checked;               ///< problems against the declarations; only rows when something is undeclared
  std::optional<RowCheck> check{};  ///< unless something is undeclared
};
InspectReport inspect(const std::string& path, const Schema& schema);

/// Fills what the schema leaves open (ranges, categories, label values, number of features) from the rows and sets
/// `bounds_from_data`: a model trained with the result is not private (spec 8). The result is complete.
Schema assume_bounds_from_data(const std::string& path, const Schema& schema);

/// A draft for delimited text (data/draft.h), from all of its rows.
SchemaDraft draft_for(const std::string& path, const Schema& declared);

}  // namespace sotto
