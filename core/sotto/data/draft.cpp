#include "sotto/data/draft.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sotto/base/error.h"
#include "sotto/base/nearest.h"
#include "sotto/data/label_matcher.h"
#include "sotto/data/number.h"
#include "sotto/data/raw_row.h"

namespace sotto {
namespace {

/// No value below 0, and the largest far above the mean: on a linear scale nearly all rows would be near 0.
bool is_heavy_tailed(const ColumnProfile& profile) {
  constexpr double kFar = 10, kLarge = 100;
  return profile.min >= 0 && profile.max >= kLarge && profile.max > kFar * profile.mean;
}

DraftedColumn drafted(const ColumnProfile& profile, ColumnKind kind, std::string why) {
  return {{profile.name, std::move(kind), false}, std::move(why)};
}

DraftedColumn draft_numbers(const ColumnProfile& profile) {
  if (profile.counts_rows) return drafted(profile, IgnoredColumn{}, "counts the rows");
  if (profile.min == profile.max && profile.missing == 0) return drafted(profile, IgnoredColumn{}, "has one value");
  NumericColumn numeric{readable_range(profile.min, profile.max), NumericScale::linear, profile.spelled};
  std::string why = "numbers";
  if (is_heavy_tailed(profile)) {
    numeric.range->min = 0;
    numeric.scale = NumericScale::log1p;
    why = "numbers with a long tail";
  }
  if (profile.missing > 0) why += ", some missing";
  return drafted(profile, numeric, why);
}

/// The values that are not missing, the commonest first.
std::vector<std::string> values_of(const ColumnProfile& profile) {
  std::vector<std::size_t> order(profile.distinct.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return profile.cells[i]; });
  std::vector<std::string> values;
  for (const std::size_t i : order) {
    if (!spells_missing(profile.distinct[i])) values.push_back(profile.distinct[i]);
  }
  return values;
}

DraftedColumn draft_texts(const ColumnProfile& profile) {
  constexpr std::size_t kFew = 20;
  const std::uint64_t filled = profile.numbers + profile.others + profile.empty - profile.missing;
  std::vector<std::string> values = values_of(profile);
  if (filled == 0) return drafted(profile, IgnoredColumn{}, "has no value");
  if (2 * profile.dates > filled) return drafted(profile, IgnoredColumn{}, "dates; make numbers of them to use them");
  if (profile.too_many_distinct || (values.size() > kFew && 2 * values.size() > filled)) {
    return drafted(profile, IgnoredColumn{}, "names or identifiers: too many different texts");
  }
  if (values.size() == 1 && profile.missing == 0) return drafted(profile, IgnoredColumn{}, "has one value");
  std::string why = "texts";
  if (values.size() > kDraftedCategories) {
    values.resize(kDraftedCategories);
    why = "texts, the " + std::to_string(kDraftedCategories) + " commonest";
  }
  std::ranges::sort(values);
  return drafted(profile, CategoryColumn{std::move(values)}, why);
}

DraftedColumn draft_column(const ColumnProfile& profile) {
  constexpr std::uint64_t kMostly = 9;
  if (profile.name == kRowNamesColumn) return drafted(profile, IgnoredColumn{}, "names of rows");
  const std::uint64_t texts = profile.others + profile.empty - profile.missing;
  return profile.numbers > 0 && profile.numbers >= kMostly * texts ? draft_numbers(profile) : draft_texts(profile);
}

/// What is declared, with its open part filled by a suggestion.
DraftedColumn fill(const Column& declared, const ColumnProfile& profile) {
  DraftedColumn whole{declared, declared.is_public ? "declared" : "suggested before"};
  if (auto* numeric = std::get_if<NumericColumn>(&whole.column.kind)) {
    if (numeric->range) return whole;
    numeric->range = readable_range(profile.min, profile.max);
  } else if (auto* category = std::get_if<CategoryColumn>(&whole.column.kind)) {
    if (!category->values.empty()) return whole;
    category->values = values_of(profile);
    if (category->values.size() > kDraftedCategories) category->values.resize(kDraftedCategories);
    require(!category->values.empty(), "columns", profile.name + " has no texts, or too many for a category");
  } else {
    return whole;
  }
  whole.column.is_public = false;
  whole.why = "declared, filled from the rows";
  return whole;
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

}  // namespace

TableProfiler::TableProfiler(RowShape shape, std::vector<std::string> columns, std::uint32_t features)
    : shape_(shape), columns_(std::move(columns)), profilers_(shape == RowShape::cells ? columns_.size() : 1) {
  if (shape == RowShape::dense) table_.features = features;
}

void TableProfiler::add(const RawRow& row) {
  ++table_.rows;
  for (std::size_t i = 0; i < row.cells.size(); ++i) profilers_[i].add(row.cells[i]);
  for (const double value : row.values) profilers_[0].add(value);
  if (!row.indices.empty()) table_.features = std::max(table_.features, row.indices.back() + 1);
  if (shape_ != RowShape::cells) label_.add(row.label);
}

TableProfile TableProfiler::finish(const std::string& label) {
  const bool cells = shape_ == RowShape::cells;
  for (std::size_t i = 0; i < profilers_.size(); ++i) {
    table_.columns.push_back(profilers_[i].finish(cells ? columns_[i] : "values"));
    if (cells && columns_[i] == label) table_.label = table_.columns.back();
  }
  if (!cells) table_.label = label_.finish("label");
  return std::move(table_);
}

TableProfile profile_rows(RowReader& reader, const std::string& label) {
  const bool cells = reader.shape() == RowShape::cells;
  TableProfiler profiler(reader.shape(), cells ? reader.columns() : std::vector<std::string>(), reader.features());
  RawRow row;
  while (reader.next(row)) profiler.add(row);
  return profiler.finish(label);
}

bool draft_label(Label& label, const ColumnProfile& profile) {
  const Label defaults;
  if (label.positive != defaults.positive || label.negative != defaults.negative || !label.classes.empty()) {
    return false;
  }
  const LabelMatcher matcher(label);
  const bool all_known = !profile.too_many_distinct && std::ranges::all_of(profile.distinct, [&](const auto& text) {
    return matcher.match(text).has_value();
  });
  if (all_known) return false;
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
  return true;
}

void forget_suggestions(Schema& schema) {
  for (Column& column : schema.columns) {
    if (column.is_public) continue;
    column.is_public = true;
    if (auto* numeric = std::get_if<NumericColumn>(&column.kind)) {
      const bool may_be_missing = !numeric->missing.empty();
      *numeric = {};
      if (may_be_missing) numeric->missing.assign(missing_spellings().begin(), missing_spellings().end());
    } else if (auto* category = std::get_if<CategoryColumn>(&column.kind)) {
      category->values.clear();
    }
  }
}

Range readable_range(double min, double max) {
  constexpr double kParts = 5;
  if (!(max > min)) max = min + std::max(1.0, std::abs(min));
  const double part = (max - min) / kParts;
  const double power = std::pow(10.0, std::floor(std::log10(part)));
  double step = power;
  for (const double factor : {2.0, 5.0}) {
    if (factor * power <= part) step = factor * power;
  }
  const auto multiple = [&](double count) {
    // Below 1 a step is 1 over a whole number, and a quotient of whole numbers prints short.
    return step >= 1 ? count * step : count / std::round(1 / step);
  };
  const Range range{multiple(std::floor(min / step)), multiple(std::ceil(max / step))};
  const bool holds = std::isfinite(range.min) && std::isfinite(range.max) && range.min <= min && range.max >= max;
  return holds ? range : Range{min, max};
}

double proposed_norm(const Schema& schema) {
  constexpr double kMeanSquare = 1.0 / 3;
  double square = intercept_of(schema) * intercept_of(schema);
  for (const Column& column : schema.columns) {
    if (std::holds_alternative<CategoryColumn>(column.kind)) square += 1;
    if (std::holds_alternative<NumericColumn>(column.kind)) square += kMeanSquare;
  }
  constexpr double kSlack = 1e-9;  // sqrt of a square is not to gain a tenth by rounding
  return std::ceil(10 * std::sqrt(square) - kSlack) / 10;
}

namespace {

void require_label(const TableProfile& table, const std::string& label) {
  if (label.empty()) {
    throw Error(ErrorKind::invalid_argument, "label: say which column holds it", "label", {HintKind::say_field});
  }
  if (table.label.name == label) return;
  std::vector<std::string_view> names;
  for (const ColumnProfile& column : table.columns) names.push_back(column.name);
  throw Error(ErrorKind::invalid_argument,
              "label: the table has no column " + label + "; check label, separator and header", "label",
              did_you_mean(label, names));
}

}  // namespace

SchemaDraft draft_schema(const TableProfile& table, const Schema& declared) {
  check_schema(declared);
  require_label(table, declared.label.column);
  SchemaDraft draft{declared, {}};
  for (const ColumnProfile& profile : table.columns) {
    if (profile.name == declared.label.column) continue;
    const Column* known = find_column(declared, profile.name);
    draft.columns.push_back(known != nullptr ? fill(*known, profile) : draft_column(profile));
  }
  draft.schema.columns.clear();
  for (const DraftedColumn& each : draft.columns) draft.schema.columns.push_back(each.column);
  Label& label = draft.schema.label;
  const bool is_open = label == Label{label.column};
  if (draft_label(label, table.label)) label.is_public = false;
  // Everybody knows 0 and 1; predictions are then spelt as the labels are.
  if (is_open && table.label.distinct == std::vector<std::string>{"0", "1"}) {
    label.negative = {"0"};
    label.positive = {"1"};
  }
  if (!declared.data_norm) {
    if (!draft.schema.intercept) draft.schema.intercept = 1;
    draft.schema.data_norm = proposed_norm(draft.schema);
  }
  return draft;
}

}  // namespace sotto
