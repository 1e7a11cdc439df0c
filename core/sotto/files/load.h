#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sotto/base/sha256.h"
#include "sotto/data/dataset.h"
#include "sotto/data/encoder.h"
#include "sotto/data/row_encoder.h"
#include "sotto/files/open_rows.h"

namespace sotto {

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
Fingerprinted<CountedRows> count_rows(const std::string& path, const Schema& schema, unsigned threads = 0);

/// where a questionable value is. For the holder of the file; not for release.
struct Finding {
  std::uint64_t line = 0;
  CellProblem cell;
};

/// What a counted or strict pass found. Everything in it describes private rows: for the holder of the file, NOT FOR RELEASE.
struct LoadReport {
  static constexpr std::size_t kPlacesKept = 100;
  std::uint64_t rows = 0;
  RowTally tally;                       ///< empty in lenient mode
  std::vector<Finding> first_problems;  ///< strict: the first kPlacesKept

  void place(std::uint64_t line, const EncodedRow& row);
  /// Adds what was found in the rows that follow, whose lines are counted from `lines_before`.
  void add(const LoadReport& later, std::uint64_t lines_before);
};

/// How a file is read. Rows and reports are the same for any number of threads; 0: one for each processor.
struct LoadOptions {
  ReadMode mode = ReadMode::lenient;
  unsigned threads = 0;
  LoadOptions(ReadMode how, unsigned count = 0) : mode(how), threads(count) {}  // NOLINT: a mode is enough
};

/// Encodes every row of the file into the sink. In lenient mode the report has the number of rows alone, which is
/// public under replace_one.
LoadReport load(const std::string& path, const Encoder& encoder, LoadOptions options, RowSink& sink);
Fingerprinted<LoadReport> load_fingerprinted(const std::string& path, const Encoder& encoder, LoadOptions options,
                                             RowSink& sink);

/// Completes the schema, reads the file leniently into memory.
Dataset read_dataset(const std::string& path, const Schema& schema, unsigned threads = 0);
/// The same with an encoder at hand, as when a model's encoding is applied to another file.
Dataset read_dataset(const std::string& path, const Encoder& encoder, unsigned threads = 0);
Fingerprinted<Dataset> read_fingerprinted(const std::string& path, const Encoder& encoder, unsigned threads = 0);

/// The rows and what they were counted to be. The tally is for the holder of the file, NOT FOR RELEASE.
struct CountedDataset {
  Dataset rows;
  RowTally tally;
};
CountedDataset read_counted(const std::string& path, const Encoder& encoder);
Fingerprinted<CountedDataset> read_counted_fingerprinted(const std::string& path, const Encoder& encoder);

/// The rows a model can be judged on: a row that a bad cell or label makes zero says nothing about it and is left out.
/// How many there are is about values: for the holder of the file, NOT FOR RELEASE unless the rows are public.
struct UsableRows {
  Dataset rows;
  std::uint64_t unusable = 0;
};
/// Throws Error{invalid_data} when none is usable.
UsableRows read_usable(const std::string& path, const Encoder& encoder, unsigned threads = 0);

}  // namespace sotto
