#include "sotto/data/schema.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "sotto/base/error.h"
#include "sotto/base/nearest.h"
#include "sotto/data/facts.h"
#include "sotto/data/number.h"
#include "sotto/data/raw_row.h"

namespace sotto {
namespace {

void check_range(const Range& range, const std::string& field_name) {
  const bool ok = std::isfinite(range.min) && std::isfinite(range.max) && range.min < range.max &&
                  std::isfinite(range.max - range.min);
  require(ok, field_name, "a range needs finite min < max");
}

void check_column(const Column& column) {
  const std::string where = "columns: " + column.name;
  require(!column.name.empty(), "columns", "a column needs a name");
  if (const auto* numeric = std::get_if<NumericColumn>(&column.kind)) {
    if (numeric->range) check_range(*numeric->range, where);
    require(numeric->range || numeric->scale == NumericScale::linear, where, "scale log1p needs min and max");
    const std::set<std::string_view> distinct(numeric->missing.begin(), numeric->missing.end());
    require(distinct.size() == numeric->missing.size(), where, "missing lists a text twice");
  } else if (const auto* category = std::get_if<CategoryColumn>(&column.kind)) {
    const std::set<std::string_view> distinct(category->values.begin(), category->values.end());
    require(distinct.size() == category->values.size(), where, "values lists a value twice");
    require(category->values.size() <= kMaxFeatures, where, "values lists too many values");
  }
}

void check_classes(const Label& label) {
  const Label defaults;
  require(label.positive == defaults.positive && label.negative == defaults.negative, "label",
          "declare either classes, or positive and negative, not both");
  require(label.classes.size() >= 2 && label.classes.size() <= kMaxClasses, "classes",
          "got " + std::to_string(label.classes.size()) + ", must list between 2 and " + std::to_string(kMaxClasses));
  std::set<std::string_view> texts;
  std::set<double> numbers;
  for (const std::string& text : label.classes) {
    require(!text.empty(), "classes", "lists an empty text");
    const double number = parse_number(text);
    const bool is_new = texts.insert(text).second && (std::isnan(number) || numbers.insert(number).second);
    require(is_new, "classes", "'" + text + "' is listed twice (texts that spell numbers are compared as numbers)");
  }
}

void check_label(const Label& label) {
  if (!label.classes.empty()) return check_classes(label);
  require(!label.positive.empty(), "label", "positive must list at least one value");
  require(!label.negative.empty(), "label", "negative must list at least one value");
  for (const std::string& value : label.positive) {
    require(std::ranges::find(label.negative, value) == label.negative.end(), "label",
            "'" + value + "' is both positive and negative");
  }
}

using ColumnIndex = std::unordered_map<std::string_view, const Column*>;

ColumnIndex index_columns(const Schema& schema) {
  ColumnIndex index;
  for (const Column& column : schema.columns) index.emplace(column.name, &column);
  return index;
}

const Column* find_in(const ColumnIndex& index, std::string_view name) {
  const auto found = index.find(name);
  return found == index.end() ? nullptr : found->second;
}

bool is_covered(const Schema& schema, const Column* column, const std::string& name) {
  if (name == schema.label.column) return true;
  const bool bounded = schema.range || schema.data_norm;
  if (column == nullptr) return bounded || name == kRowNamesColumn;
  if (const auto* numeric = std::get_if<NumericColumn>(&column->kind)) return numeric->range || bounded;
  if (const auto* category = std::get_if<CategoryColumn>(&column->kind)) return !category->values.empty();
  return true;
}

/// Nothing is learned from a constant alone, so that where no column is a feature this adds none.
double default_intercept(const Schema& schema) {
  bool any = schema.format != FileFormat::csv, as_they_are = any;
  for (const Column& column : schema.columns) {
    const auto* numeric = std::get_if<NumericColumn>(&column.kind);
    any = any || !std::holds_alternative<IgnoredColumn>(column.kind);
    as_they_are = as_they_are || (numeric != nullptr && !numeric->range);
  }
  if (!any) return 0;
  return as_they_are && !schema.range ? std::min(1.0, row_norm_bound(schema)) : 1;
}

}  // namespace

std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
  return text;
}

std::vector<std::string> unconfirmed(const Schema& schema) {
  std::vector<std::string> names;
  for (const Column& column : schema.columns) {
    if (!column.is_public) names.push_back(column.name);
  }
  if (!schema.label.is_public) names.emplace_back("label");
  return names;
}

void confirm(Schema& schema) noexcept {
  for (Column& column : schema.columns) column.is_public = true;
  schema.label.is_public = true;
}

std::uint32_t class_count(const Label& label) noexcept {
  return label.classes.empty() ? 2 : static_cast<std::uint32_t>(label.classes.size());
}

std::vector<std::string> class_texts(const Label& label) {
  if (!label.classes.empty()) return label.classes;
  return {label.negative.front(), label.positive.front()};
}

double row_norm_bound(const Schema& schema) noexcept { return schema.data_norm.value_or(1.0); }

const Column* find_column(const Schema& schema, std::string_view name) noexcept {
  const auto found = std::ranges::find(schema.columns, name, &Column::name);
  return found == schema.columns.end() ? nullptr : &*found;
}

void check_schema(const Schema& schema) {
  std::set<std::string_view> names;
  for (const Column& column : schema.columns) {
    check_column(column);
    require(names.insert(column.name).second, "columns", "column " + column.name + " is declared twice");
    require(column.name != schema.label.column, "columns", column.name + " is the label; it needs no declaration");
  }
  check_label(schema.label);
  if (schema.bounds_cost) {
    const BoundsCost& cost = *schema.bounds_cost;
    const bool whole = cost.epsilon > 0 && cost.epsilon <= 1e4 && cost.delta >= 0 && cost.delta < 1;
    require(whole, "bounds_cost", "needs an epsilon above 0 and a delta from 0 to 1");
  }
  if (schema.range) check_range(*schema.range, "range");
  const double norm = row_norm_bound(schema);
  require(norm >= kMinDataNorm && norm <= kMaxDataNorm, "data_norm", "must be between 1e-30 and 1e30");
  require(std::abs(intercept_of(schema)) <= kMaxDataNorm, "intercept", "must be a finite number of at most 1e30");
  require(schema.features <= kMaxFeatures, "features", "must be at most " + std::to_string(kMaxFeatures));
  require(schema.names.size() <= kMaxColumns, "names", "has more names than a file may have columns");
  require(schema.names.empty() || schema.header == HeaderLine::absent, "names",
          "are for a file without a header; set header to false");
  std::visit(
      [](const auto& kind) {
        if constexpr (requires { kind.dimensions; }) {
          require(kind.dimensions > 0 && kind.dimensions <= kMaxFeatures, "dimensions",
                  "declare how many the projection leaves, between 1 and " + std::to_string(kMaxFeatures));
        }
      },
      schema.projection);
}

void check_declared(const Schema& schema, const std::vector<std::string>& column_names) {
  require(!schema.label.column.empty(), "label", "declare which column is the label");
  const std::unordered_set<std::string_view> present(column_names.begin(), column_names.end());
  // What nothing declared is among, and what stands past skipped lines, may be a row: no name of it is shown.
  const bool may_be_row = schema.skip_lines > 0;
  std::vector<std::string> unknown;
  for (const Column& column : schema.columns) {
    if (!present.contains(column.name)) unknown.push_back(column.name);
  }
  const auto near = [&](const std::string& word, bool shown) {
    const std::vector<std::string_view> names(column_names.begin(), column_names.end());
    return shown && !may_be_row ? did_you_mean(word, names) : Hint{};
  };
  if (!present.contains(schema.label.column)) {
    throw Error(ErrorKind::invalid_argument,
                "label: the file has no column " + schema.label.column + " among its " +
                    std::to_string(column_names.size()) +
                    "; check label, separator and header (without a header a column is called by its position)",
                "label", near(schema.label.column, unknown.size() < schema.columns.size()));
  }
  if (!unknown.empty()) {
    throw Error(ErrorKind::invalid_argument, "columns: the file has no column " + list_of(unknown), "columns",
                near(unknown.front(), true));
  }
  const ColumnIndex index = index_columns(schema);
  std::vector<std::string> missing;
  for (const std::string& name : column_names) {
    if (!is_covered(schema, find_in(index, name), name)) missing.push_back(name);
  }
  if (missing.empty()) return;
  const std::string which = may_be_row ? std::to_string(missing.size()) + " columns" : list_of(missing);
  throw Error(ErrorKind::invalid_argument,
              "columns: no public bounds for " + which +
                  "; declare for each a range, a list of categories or ignore, or declare data_norm to take numbers as "
                  "they are and clip rows to that norm",
              "columns", {HintKind::declare_columns, {may_be_row ? "unlisted" : "listed"}});
}

double intercept_of(const Schema& schema) noexcept { return schema.intercept.value_or(0.0); }

void mark_complete(Schema& schema) noexcept {
  schema.complete = true;
  if (!schema.intercept) schema.intercept = default_intercept(schema);
  if (schema.header == HeaderLine::automatic) schema.header = HeaderLine::present;
}

Schema complete_schema(Schema schema, const std::vector<std::string>& column_names) {
  check_schema(schema);
  check_declared(schema, column_names);
  const ColumnIndex index = index_columns(schema);
  std::vector<Column> columns;
  for (const std::string& name : column_names) {
    if (name == schema.label.column) continue;
    if (const Column* declared = find_in(index, name)) {
      columns.push_back(*declared);
    } else if (name == kRowNamesColumn) {
      columns.push_back({name, IgnoredColumn{}});
    } else {
      columns.push_back({name, NumericColumn{}});
    }
    auto* numeric = std::get_if<NumericColumn>(&columns.back().kind);
    if (numeric != nullptr && !numeric->range) numeric->range = schema.range;
  }
  schema.columns = std::move(columns);
  mark_complete(schema);
  return schema;
}

}  // namespace sotto
