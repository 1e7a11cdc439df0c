#pragma once
#include <string>
#include <vector>

#include "sotto/data/schema.h"

/// How the bytes of a file become rows, apart from what the values mean. Whoever may choose it can put questions to the
/// rows by what fails: lines skipped until a row is the header, a number of features that some index exceeds. A ledger
/// therefore fixes it, and requests that read otherwise are refused without a look at the file.
namespace sotto {

/// In words, the same for equal readings: format, separator, header, lines skipped; LIBSVM: the number of features.
/// Made from declarations and the file's name; opens nothing.
std::string reading_of(const std::string& path, const Schema& schema);

/// The schema made explicit as complete_for() does, for a file whose columns are known: the names in its header, or
/// positions. Reads nothing of delimited text and LIBSVM; of an IDX file the header, which is counts alone.
Schema complete_by(const std::string& path, const Schema& schema, const std::vector<std::string>& columns);

/// The names of the columns for complete_by(), from the declared names or the header line of delimited text; no row is
/// looked at, so a column of row names that has no name in the header is not among them. Empty for other formats.
/// Throws Error{invalid_argument} for delimited text that has neither.
std::vector<std::string> named_columns(const std::string& path, const Schema& schema);

}  // namespace sotto
