#pragma once
#include <string>
#include <vector>

#include "sotto/data/schema.h"

/// Schemas made explicit for a file.
namespace sotto {

/// The schema made explicit for this file: reads the header, no values. Refuses, saying what to declare, when public
/// bounds are missing.
Schema complete_for(const std::string& path, const Schema& schema);

/// The schema made explicit as complete_for() does, for a file whose columns are known: the names in its header, or
/// positions. Reads nothing of delimited text and LIBSVM; of an IDX file the header, which is counts alone.
Schema complete_by(const std::string& path, const Schema& schema, const std::vector<std::string>& columns);

/// The names of the columns for complete_by(), from the declared names or the header line of delimited text; no row is
/// looked at, so a column of row names that has no name in the header is not among them. Empty for other formats.
/// Throws Error{invalid_argument} for delimited text that has neither.
std::vector<std::string> named_columns(const std::string& path, const Schema& schema);

}  // namespace sotto
