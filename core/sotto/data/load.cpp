#include "sotto/data/load.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/data/csv_reader.h"
#include "sotto/data/idx_reader.h"
#include "sotto/data/libsvm_reader.h"
#include "sotto/data/reading.h"

namespace sotto {
namespace {

constexpr const char* kDeclareFeatures = "declare the public number of features of a LIBSVM file";

/// The file's own name in small letters, without ".gz".
std::string plain_name(const std::string& path) {
  std::string name = path.substr(path.find_last_of('/') + 1);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  return name;
}

bool ends_with_any(const std::string& name, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

bool looks_like_idx(const std::string& name) {
  const std::size_t found = name.rfind("idx");
  return found != name.npos && (found + 3 == name.size() || std::isdigit(static_cast<unsigned char>(name[found + 3])));
}

void complete_values(Schema& schema) {
  require(schema.columns.empty(), "columns", "are for delimited text; use range and data_norm for this format");
  require(schema.range || schema.data_norm, "data_norm",
          "no public bounds: declare data_norm to take numbers as they are and clip rows to that norm, or a range");
  mark_complete(schema);
}

/// Opens a file, or a file and its labels, in the order of the fingerprint.
using Opener = std::function<std::unique_ptr<ByteSource>(const std::string&)>;

std::unique_ptr<RowReader> open_by_format(const std::string& path, const Schema& schema, ReadOptions options,
                                          const std::pair<Opener, LabelUse>& how) {
  const auto& [open, labels] = how;
  switch (format_of(path, schema)) {
    case FileFormat::libsvm:
      require(schema.features > 0, "features", kDeclareFeatures);
      return std::make_unique<LibsvmReader>(open(path), schema.features, options);
    case FileFormat::idx: {
      auto items = open(path);
      std::unique_ptr<ByteSource> beside;
      if (labels == LabelUse::required) beside = open(labels_path(path, schema));
      return std::make_unique<IdxReader>(std::move(items), std::move(beside), options);
    }
    default: {
      CsvLayout layout{separator_of(path, schema), schema.header, schema.names, schema.skip_lines};
      return std::make_unique<CsvReader>(open(path), std::move(layout), options);
    }
  }
}

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

FileFormat format_of(const std::string& path, const Schema& schema) {
  if (schema.format != FileFormat::automatic) return schema.format;
  const std::string name = plain_name(path);
  if (ends_with_any(name, {".libsvm", ".svm", ".svmlight"})) return FileFormat::libsvm;
  return looks_like_idx(name) ? FileFormat::idx : FileFormat::csv;
}

char separator_of(const std::string& path, const Schema& schema) {
  const std::string& given = schema.separator;
  if (given == "auto") {
    const std::string name = plain_name(path);
    if (ends_with_any(name, {".tsv", ".tab"})) return '\t';
    return name.ends_with(".dat") ? ' ' : ',';
  }
  if (given == "blank") return ' ';
  if (given == "tab") return '\t';
  constexpr std::string_view kMeaningful = "\"\r\n.+-\0";
  const bool ok = given.size() == 1 && !std::isalnum(static_cast<unsigned char>(given[0])) &&
                  kMeaningful.find(given[0]) == kMeaningful.npos && given[0] != '\0';
  require(ok, "separator", "must be auto, blank, tab or one character that no number or quote is written with");
  return given[0];
}

std::optional<std::string> usual_labels_path(const std::string& path) {
  std::string result = path;
  const std::size_t images = result.rfind("images");
  if (images != result.npos) result.replace(images, 6, "labels");
  const std::size_t dimensions = result.rfind("idx3");
  if (dimensions != result.npos) result.replace(dimensions, 4, "idx1");
  if (result == path) return std::nullopt;
  return result;
}

std::string labels_path(const std::string& path, const Schema& schema) {
  if (!schema.labels_file.empty()) return schema.labels_file;
  const std::optional<std::string> beside = usual_labels_path(path);
  require(beside.has_value(), "labels_file",
          "declare the file with the labels of " + path + "; it cannot be told from that name");
  return *beside;
}

Schema schema_for_other_rows(const std::string& encoding, const std::string& labels_file) {
  Schema schema = schema_from_json(encoding);
  schema.labels_file = labels_file;
  return schema;
}

std::unique_ptr<RowReader> open_rows(const std::string& path, const Schema& schema, ReadMode mode, LabelUse labels) {
  return open_by_format(path, schema, {.show_lines = mode == ReadMode::strict}, {open_bytes, labels});
}

std::unique_ptr<RowReader> open_rows(const std::string& path, const Schema& schema, ReadMode mode,
                                     FingerprintTap& tap) {
  const Opener open = [&tap](const std::string& file) { return tap.through(open_bytes(file)); };
  return open_by_format(path, schema, {.show_lines = mode == ReadMode::strict}, {open, LabelUse::required});
}

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

Schema complete_for(const std::string& path, const Schema& schema) {
  check_schema(schema);
  const auto reader = open_rows(path, schema, ReadMode::lenient);
  Schema complete = schema;
  complete.format = format_of(path, schema);
  if (reader->shape() == RowShape::cells) return complete_schema(std::move(complete), reader->columns());
  if (const auto* idx = dynamic_cast<const IdxReader*>(reader.get())) {
    complete.features = reader->features();
    if (idx->bytes() && !complete.range) complete.range = Range{0.0, 255.0};
  }
  complete_values(complete);
  return complete;
}

std::string reading_of(const std::string& path, const Schema& schema) {
  switch (format_of(path, schema)) {
    case FileFormat::idx: return "idx";
    case FileFormat::libsvm:
      require(schema.features > 0, "features", kDeclareFeatures);
      return "libsvm, " + std::to_string(schema.features) + " features";
    default: {
      const char separator = separator_of(path, schema);
      const std::string shown = separator == ' ' ? "blank" : separator == '\t' ? "tab" : std::string(1, separator);
      return "csv, separator " + shown + (schema.header == HeaderLine::absent ? ", no header, " : ", a header, ") +
             std::to_string(schema.skip_lines) + " lines skipped";
    }
  }
}

Schema complete_by(const std::string& path, const Schema& schema, const std::vector<std::string>& columns) {
  check_schema(schema);
  Schema complete = schema;
  complete.format = format_of(path, schema);
  if (complete.format == FileFormat::idx) return complete_for(path, schema);
  if (complete.format == FileFormat::libsvm) {
    require(schema.features > 0, "features", kDeclareFeatures);
    complete_values(complete);
    return complete;
  }
  if (schema.names.empty()) return complete_schema(std::move(complete), columns);
  const std::set<std::string_view> distinct(schema.names.begin(), schema.names.end());
  require(distinct.size() == columns.size() && schema.names.size() == columns.size(), "names",
          "got " + std::to_string(schema.names.size()) + ", must be " + std::to_string(columns.size()) +
              " different names, one a column");
  return complete_schema(std::move(complete), schema.names);
}

std::vector<std::string> named_columns(const std::string& path, const Schema& schema) {
  if (format_of(path, schema) != FileFormat::csv) return {};
  if (!schema.names.empty()) return schema.names;
  require(schema.header != HeaderLine::absent, "names",
          "must be declared: without a header the columns are known from a row only, and none is read");
  CsvLayout layout{separator_of(path, schema), schema.header, {}, schema.skip_lines, true};
  return CsvReader(open_bytes(path), std::move(layout)).columns();
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
