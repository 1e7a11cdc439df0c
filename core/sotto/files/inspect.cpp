#include "sotto/files/inspect.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/data/encoder.h"
#include "sotto/files/complete.h"
#include "sotto/files/csv_reader.h"
#include "sotto/files/libsvm_reader.h"
#include "sotto/files/open_rows.h"
#include "sotto/files/reading.h"

namespace sotto {
namespace {

/// Profiling needs no declared number of features; every other reader is the one that training uses.
std::unique_ptr<RowReader> open_for_profile(const std::string& path, const Schema& schema) {
  if (format_of(path, schema) == FileFormat::libsvm && schema.features == 0) {
    return std::make_unique<LibsvmReader>(open_bytes(path), kMaxFeatures);
  }
  return open_rows(path, schema, ReadMode::strict);
}

Range widened(double min, double max) { return {min, max > min ? max : min + std::max(1.0, std::abs(min))}; }

ColumnKind guess(const ColumnProfile& profile) {
  if (profile.numbers > profile.others) return NumericColumn{widened(profile.min, profile.max), NumericScale::linear};
  require(!profile.too_many_distinct, "columns",
          profile.name + " has more than " + std::to_string(ColumnProfile::kMaxDistinct) +
              " different texts; declare its kind (or ignore it)");
  return CategoryColumn{profile.distinct};
}

/// The declared kind with its open part filled, or a guess when nothing is declared.
ColumnKind fill(const Column* declared, const ColumnProfile& profile) {
  if (profile.name == kRowNamesColumn && declared == nullptr) return IgnoredColumn{};
  if (declared == nullptr) return guess(profile);
  ColumnKind kind = declared->kind;
  if (auto* numeric = std::get_if<NumericColumn>(&kind)) {
    if (!numeric->range) numeric->range = widened(profile.min, profile.max);
  } else if (auto* category = std::get_if<CategoryColumn>(&kind)) {
    require(!category->values.empty() || !profile.too_many_distinct, "columns",
            profile.name + " has too many different texts for a category without declared values");
    if (category->values.empty()) category->values = profile.distinct;
  }
  return kind;
}

}  // namespace

TableProfile profile_rows(const std::string& path, const Schema& schema) {
  return profile_rows(*open_for_profile(path, schema), schema.label.column);
}

InspectReport inspect(const std::string& path, const Schema& schema) {
  InspectReport report;
  report.format = format_of(path, schema);
  report.profile = profile_rows(path, schema);
  report.checked.rows = report.profile.rows;
  Schema complete;
  try {
    complete = complete_for(path, schema);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::invalid_argument) throw;
    report.undeclared = error.what();
    return report;
  }
  struct Discard final : RowSink {
    void add_dense(std::span<const float>, float) override {}
    void add_sparse(std::span<const std::uint32_t>, std::span<const float>, float) override {}
  } discard;
  const Encoder encoder(complete);
  report.checked = load(path, encoder, ReadMode::strict, discard);
  report.check = check_of(encoder, report.checked.tally);
  return report;
}

Schema assume_bounds_from_data(const std::string& path, const Schema& schema) {
  check_schema(schema);
  const TableProfile table = profile_rows(path, schema);
  Schema filled = schema;
  filled.format = format_of(path, schema);
  filled.bounds_from_data = true;
  if (filled.format != FileFormat::csv) {
    const ColumnProfile& values = table.columns[0];
    if (filled.features == 0) filled.features = table.features;
    if (!filled.range) filled.range = widened(std::min(values.min, 0.0), std::max(values.max, 0.0));
    draft_label(filled.label, table.label);
    return complete_for(path, filled);
  }
  require(table.label.name == schema.label.column && !schema.label.column.empty(), "label",
          "the file has no such column; check label, separator and header");
  filled.columns.clear();
  for (const ColumnProfile& column : table.columns) {
    if (column.name == schema.label.column) continue;
    filled.columns.push_back({column.name, fill(find_column(schema, column.name), column)});
  }
  draft_label(filled.label, table.label);
  return complete_for(path, filled);
}

SchemaDraft draft_for(const std::string& path, const Schema& declared) {
  require(format_of(path, declared) == FileFormat::csv, "data",
          "a schema is drafted for delimited text; other formats have a range for all values, and data_norm");
  SchemaDraft draft = draft_schema(profile_rows(path, declared), declared);
  draft.schema.format = FileFormat::csv;
  return draft;
}

}  // namespace sotto
