#pragma once
#include <optional>
#include <string>

#include "sotto/data/schema.h"

/// How the bytes of a file become rows, apart from what the values mean. Whoever may choose it can put questions to the
/// rows by what fails: lines skipped until a row is the header, a number of features that some index exceeds. A ledger
/// therefore fixes it, and requests that read otherwise are refused without a look at the file.
namespace sotto {

/// The format a file has by the schema, or by its name when the schema leaves it open: .libsvm, .svm and .svmlight are
/// LIBSVM, names with "idx" followed by a digit are IDX, everything else is delimited text. ".gz" is looked past.
FileFormat format_of(const std::string& path, const Schema& schema);
/// The separator by the schema, or by the file's name: tab for .tsv and .tab, blanks for .dat, comma otherwise.
char separator_of(const std::string& path, const Schema& schema);

/// Where the labels of an IDX file usually are: "train-images-idx3-ubyte" has "train-labels-idx1-ubyte". None: the name
/// does not tell.
std::optional<std::string> usual_labels_path(const std::string& path);
/// As declared, or by the usual name. Throws Error{invalid_argument} where neither tells.
std::string labels_path(const std::string& path, const Schema& schema);

/// Throws Error{invalid_argument} unless a LIBSVM file's number of features is declared.
void require_features(const Schema& schema);

/// In words, the same for equal readings: format, separator, header, lines skipped; LIBSVM: the number of features.
/// Made from declarations and the file's name (and whether it is a folder); opens nothing.
std::string reading_of(const std::string& path, const Schema& schema);

}  // namespace sotto
