#include "sotto/files/load.h"

#include <algorithm>

#include "sotto/base/error.h"
#include "sotto/data/facts.h"
#include "sotto/files/complete.h"
#include "sotto/files/reading.h"

namespace sotto {
namespace {

LoadReport load_from(RowReader& reader, const Encoder& encoder, ReadMode mode, RowSink& sink) {
  RowEncoder encode(encoder, reader);
  RawRow raw;
  EncodedRow row;
  LoadReport report;
  report.class_counts.resize(encoder.classes());
  while (reader.next(raw)) {
    encode.encode(raw, row);
    if (mode == ReadMode::strict) report.note(raw.line, row);
    row.send(sink);
    ++report.rows;
  }
  return report;
}

}  // namespace

Fingerprinted<CountedRows> count_rows(const std::string& path, const Schema& schema) {
  FingerprintTap tap;
  const auto reader = open_rows(path, schema, ReadMode::lenient, tap);
  CountedRows counted{0, reading_of(path, schema), {}};
  if (reader->shape() == RowShape::cells) {
    for (std::size_t i = 0; i < reader->columns().size(); ++i) {
      const bool named = schema.header != HeaderLine::absent;
      counted.columns.push_back(named ? reader->columns()[i] : std::to_string(i + 1));
    }
  }
  RawRow row;
  while (reader->next(row)) ++counted.rows;
  return {std::move(counted), tap.finish()};
}

void LoadReport::note(std::uint64_t line, const EncodedRow& row) {
  bool zero = false;
  for (const CellProblem& cell : row.problems) {
    const auto known = std::ranges::find(problem_counts, cell.kind, &std::pair<ProblemKind, std::uint64_t>::first);
    if (known == problem_counts.end()) {
      problem_counts.emplace_back(cell.kind, 1);
    } else {
      ++known->second;
    }
    if (first_problems.size() < kPlacesKept) first_problems.push_back({line, cell});
    zero = zero || (cell.kind != ProblemKind::out_of_range && cell.kind != ProblemKind::undeclared_category);
  }
  if (zero) {
    ++zero_rows;
  } else {
    ++class_counts[class_of_label(row.label, static_cast<std::uint32_t>(class_counts.size()))];
  }
}

LoadReport load(const std::string& path, const Encoder& encoder, ReadMode mode, RowSink& sink) {
  const auto reader = open_rows(path, encoder.schema(), mode);
  return load_from(*reader, encoder, mode, sink);
}

Fingerprinted<LoadReport> load_fingerprinted(const std::string& path, const Encoder& encoder, ReadMode mode,
                                             RowSink& sink) {
  FingerprintTap tap;
  const auto reader = open_rows(path, encoder.schema(), mode, tap);
  LoadReport report = load_from(*reader, encoder, mode, sink);
  return {std::move(report), tap.finish()};
}

Dataset read_dataset(const std::string& path, const Encoder& encoder) {
  DatasetBuilder builder(encoder.facts(0));
  load(path, encoder, ReadMode::lenient, builder);
  return builder.finish();
}

UsableRows read_usable(const std::string& path, const Encoder& encoder) {
  const auto reader = open_rows(path, encoder.schema(), ReadMode::lenient);
  RowEncoder encode(encoder, *reader);
  DatasetBuilder builder(encoder.facts(0));
  RawRow raw;
  EncodedRow row;
  std::uint64_t used = 0, unusable = 0;
  while (reader->next(raw)) {
    encode.encode(raw, row);
    ++(row.usable ? used : unusable);
    if (row.usable) row.send(builder);
  }
  if (used == 0) {
    throw Error(ErrorKind::invalid_data,
                path + ": no row can be used: each has a cell that is no number or a label that is not declared",
                "data");
  }
  return {builder.finish(), unusable};
}

Fingerprinted<Dataset> read_fingerprinted(const std::string& path, const Encoder& encoder) {
  DatasetBuilder builder(encoder.facts(0));
  const Digest fingerprint = load_fingerprinted(path, encoder, ReadMode::lenient, builder).fingerprint;
  return {builder.finish(), fingerprint};
}

Dataset read_dataset(const std::string& path, const Schema& schema) {
  return read_dataset(path, Encoder(schema.complete ? schema : complete_for(path, schema)));
}

}  // namespace sotto
