#include "sotto/files/inspect.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "sotto/base/error.h"
#include "sotto/data/encoder.h"
#include "sotto/data/number.h"
#include "sotto/data/text_hash.h"
#include "sotto/files/complete.h"
#include "sotto/files/csv_reader.h"
#include "sotto/files/libsvm_reader.h"
#include "sotto/files/open_rows.h"
#include "sotto/files/reading.h"

namespace sotto {
namespace {

/// Collects one column's profile.
class Profiler {
 public:
  void add(double value) {
    if (!std::isfinite(value)) {
      ++profile_.others;
      return;
    }
    profile_.min = profile_.numbers == 0 ? value : std::min(profile_.min, value);
    profile_.max = profile_.numbers == 0 ? value : std::max(profile_.max, value);
    ++profile_.numbers;
  }
  void add(std::string_view text) {
    if (text.empty()) {
      ++profile_.empty;
    } else {
      add(parse_number(text));
    }
    if (profile_.too_many_distinct || seen_.contains(text)) return;
    if (seen_.size() < ColumnProfile::kMaxDistinct) {
      seen_.emplace(text);
    } else {
      profile_.too_many_distinct = true;
      seen_.clear();
    }
  }
  ColumnProfile finish(std::string name) {
    profile_.name = std::move(name);
    profile_.distinct.assign(seen_.begin(), seen_.end());
    std::ranges::sort(profile_.distinct);
    return std::move(profile_);
  }

 private:
  ColumnProfile profile_;
  std::unordered_set<std::string, TextHash, std::equal_to<>> seen_;
};

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

/// Numbers by their value and once each, before the texts.
std::vector<std::string> distinct_classes(std::vector<std::string> values) {
  const auto rank = [](const std::string& text) {
    const double number = parse_number(text);
    return std::pair(std::isnan(number), std::isnan(number) ? 0.0 : number);
  };
  std::ranges::stable_sort(values, {}, rank);
  const auto same = [&](const std::string& a, const std::string& b) { return !rank(a).first && rank(a) == rank(b); };
  values.erase(std::unique(values.begin(), values.end(), same), values.end());
  return values;
}

void fill_label(Label& label, const ColumnProfile& profile) {
  const Label defaults;
  if (label.positive != defaults.positive || label.negative != defaults.negative || !label.classes.empty()) return;
  const LabelMatcher matcher(label);
  const bool all_known = !profile.too_many_distinct && std::ranges::all_of(profile.distinct, [&](const auto& text) {
    return matcher.match(text).has_value();
  });
  if (all_known) return;
  std::vector<std::string> values = profile.distinct;
  std::erase(values, "");  // an empty cell is no class
  require(
      !profile.too_many_distinct && values.size() >= 2, "label",
      "has fewer than 2 or more than " + std::to_string(ColumnProfile::kMaxDistinct) + " values; declare its classes");
  if (values.size() == 2) {
    label.negative = {values[0]};
    label.positive = {values[1]};
  } else {
    label.classes = distinct_classes(values);
  }
}

}  // namespace

TableProfile profile_rows(const std::string& path, const Schema& schema) {
  const auto reader = open_for_profile(path, schema);
  const bool cells = reader->shape() == RowShape::cells;
  std::vector<Profiler> profilers(cells ? reader->columns().size() : 1);
  Profiler label;
  TableProfile table;
  if (reader->shape() == RowShape::dense) table.features = reader->features();
  RawRow row;
  while (reader->next(row)) {
    ++table.rows;
    for (std::size_t i = 0; i < row.cells.size(); ++i) profilers[i].add(row.cells[i]);
    for (const double value : row.values) profilers[0].add(value);
    if (!row.indices.empty()) table.features = std::max(table.features, row.indices.back() + 1);
    if (!cells) label.add(row.label);
  }
  for (std::size_t i = 0; i < profilers.size(); ++i) {
    table.columns.push_back(profilers[i].finish(cells ? reader->columns()[i] : "values"));
    if (cells && reader->columns()[i] == schema.label.column) table.label = table.columns.back();
  }
  if (!cells) table.label = label.finish("label");
  return table;
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
  report.checked = load(path, Encoder(complete), ReadMode::strict, discard);
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
    fill_label(filled.label, table.label);
    return complete_for(path, filled);
  }
  require(table.label.name == schema.label.column && !schema.label.column.empty(), "label",
          "the file has no such column; check label, separator and header");
  filled.columns.clear();
  for (const ColumnProfile& column : table.columns) {
    if (column.name == schema.label.column) continue;
    filled.columns.push_back({column.name, fill(find_column(schema, column.name), column)});
  }
  fill_label(filled.label, table.label);
  return complete_for(path, filled);
}

}  // namespace sotto
