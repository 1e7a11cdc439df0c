#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sotto/data/dataset.h"
#include "sotto/data/encoder.h"
#include "sotto/data/fingerprint.h"
#include "sotto/data/line_reader.h"
#include "sotto/data/raw_row.h"

namespace sotto {

/// lenient: training. Values are treated by the zero-row rule and nothing tells; only structure fails.
/// strict: `data pack` and `data info`. The same rows, and every questionable value is counted and placed for the
/// holder of the file.
enum class ReadMode { lenient, strict };

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

/// The encoding of a model, for rows it was not trained on. A file of labels belongs to its rows: the one that the
/// model was trained with is never read again. `labels_file` is that of the rows at hand; empty: beside them.
Schema schema_for_other_rows(const std::string& encoding, const std::string& labels_file = {});

/// Opens the file with the reader its format needs. `labels` tells whether an IDX file's labels are opened too.
std::unique_ptr<RowReader> open_rows(const std::string& path, const Schema& schema, ReadMode mode,
                                     LabelUse labels = LabelUse::required);

/// The same; what the reader reads goes through the tap.
std::unique_ptr<RowReader> open_rows(const std::string& path, const Schema& schema, ReadMode mode, FingerprintTap& tap);

/// A result and the fingerprint (fingerprint.h) of the very bytes it was made from, in one reading.
template <class T>
struct Fingerprinted {
  T value;
  Digest fingerprint{};
};

/// What a file looks like, read by this schema: structure alone, no value is looked at.
struct CountedRows {
  std::uint64_t rows = 0;
  std::string reading;               ///< reading_of() the schema
  std::vector<std::string> columns;  ///< delimited text: the names in the header; positions if there is none
};
Fingerprinted<CountedRows> count_rows(const std::string& path, const Schema& schema);

/// The schema made explicit for this file: reads the header, no values. Refuses, saying what to declare, when public
/// bounds are missing.
Schema complete_for(const std::string& path, const Schema& schema);

/// where a questionable value is. For the holder of the file; not for release.
struct Finding {
  std::uint64_t line = 0;
  CellProblem cell;
};

/// What a strict pass found. Everything in it describes private rows: for the holder of the file, NOT FOR RELEASE.
struct LoadReport {
  static constexpr std::size_t kPlacesKept = 100;
  std::uint64_t rows = 0;
  std::vector<std::uint64_t> class_counts;  ///< of the rows that keep their label, in the order of class_texts
  std::uint64_t zero_rows = 0;              ///< rows a bad cell or label has made zero
  std::vector<std::pair<ProblemKind, std::uint64_t>> problem_counts;
  std::vector<Finding> first_problems;  ///< the first kPlacesKept

  /// class_counts has as many entries as there are classes.
  void note(std::uint64_t line, const EncodedRow& row);
};

/// Encodes every row of the file into the sink. The report is filled in strict mode only; in lenient mode it has the
/// number of rows alone, which is public under replace_one.
LoadReport load(const std::string& path, const Encoder& encoder, ReadMode mode, RowSink& sink);
Fingerprinted<LoadReport> load_fingerprinted(const std::string& path, const Encoder& encoder, ReadMode mode,
                                             RowSink& sink);

/// Completes the schema, reads the file leniently into memory.
Dataset read_dataset(const std::string& path, const Schema& schema);
/// The same with an encoder at hand, as when a model's encoding is applied to another file.
Dataset read_dataset(const std::string& path, const Encoder& encoder);
Fingerprinted<Dataset> read_fingerprinted(const std::string& path, const Encoder& encoder);

/// The rows a model can be judged on: a row that a bad cell or label makes zero says nothing about it and is left out.
/// How many there are is about values: for the holder of the file, NOT FOR RELEASE unless the rows are public.
struct UsableRows {
  Dataset rows;
  std::uint64_t unusable = 0;
};
/// Throws Error{invalid_data} when none is usable.
UsableRows read_usable(const std::string& path, const Encoder& encoder);

}  // namespace sotto
