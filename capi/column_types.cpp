#include "capi/column_types.h"

#include <algorithm>

#include "capi/plain_json.h"
#include "sotto/base/error.h"

namespace sotto::capi {
namespace {

std::string list_text(const std::vector<std::string>& values) { return nlohmann::ordered_json(values).dump(); }

/// Of many the first, for a message.
std::string few(std::vector<std::string> values) {
  constexpr std::size_t kShown = 8;
  const bool more = values.size() > kShown;
  if (more) values.resize(kShown);
  return list_text(values) + (more ? " and others" : "");
}

void require_values(const std::string& column, const std::vector<std::string>& given,
                    const std::vector<std::string>& known) {
  for (const std::string& text : given) {
    require(text == "*" || std::ranges::find(known, text) != known.end(), column,
            "\"" + text + "\" is no value of its type; those are " + few(known));
  }
}

void require_fitting_column(const Column& column, const ColumnTypes& types) {
  const auto known = types.values(column.name);
  const auto* numeric = std::get_if<NumericColumn>(&column.kind);
  if (numeric != nullptr) {
    require(!known, column.name,
            "is no number; declare it as null, or by a list of " + few(known.value_or(std::vector<std::string>())));
    require(!types.is_text(column.name) || numeric->range, column.name,
            "holds texts; list the values it may have, or give [min, max] if they are numbers");
  }
  const auto* category = std::get_if<CategoryColumn>(&column.kind);
  const std::string unit = types.counts(column.name);
  require(category == nullptr || unit.empty(), column.name,
          "is a point in time, read as the number of " + unit + " since 1970-01-01; declare [min, max] of that");
  if (category != nullptr && known) require_values(column.name, category->values, *known);
}

}  // namespace

ColumnTypes::ColumnTypes(const char* json) : types_(parse_plain(json, "types")) {}

bool ColumnTypes::is_text(const std::string& column) const {
  const auto found = types_.find(column);
  return found != types_.end() && *found == "text";
}

std::string ColumnTypes::counts(const std::string& column) const {
  const auto found = types_.find(column);
  const bool time = found != types_.end() && (*found == "days" || *found == "seconds");
  return time ? found->get<std::string>() : "";
}

std::optional<std::vector<std::string>> ColumnTypes::values(const std::string& column) const {
  const auto found = types_.find(column);
  if (found == types_.end() || !found->is_array()) return std::nullopt;
  return found->get<std::vector<std::string>>();
}

void declare_label(const ColumnTypes& types, const nlohmann::ordered_json& declared, Label& label) {
  const auto known = types.values(label.column);
  const bool positive = declared.contains("positive"), negative = declared.contains("negative");
  if (!known || known->size() < 2 || declared.contains("classes") || (positive && negative)) return;
  if (positive || negative) {
    const std::vector<std::string>& given = positive ? label.positive : label.negative;
    if (std::ranges::find(given, "*") != given.end()) return;  // all that the other does not list
    std::vector<std::string> others = *known;
    std::erase_if(others, [&](const std::string& text) { return std::ranges::find(given, text) != given.end(); });
    (positive ? label.negative : label.positive) = others;
  } else if (known->size() == 2) {
    label.negative = {known->front()};
    label.positive = {known->back()};
  } else {
    label.classes = *known;
  }
}

Schema declared_by_types(const std::string& label, const ColumnTypes& types) {
  Schema schema;
  schema.label.column = label;
  declare_label(types, {}, schema.label);
  for (const auto& [name, type] : types.all().items()) {
    if (name != label && type.is_array())
      schema.columns.push_back({name, CategoryColumn{type.get<std::vector<std::string>>()}});
  }
  return schema;
}

void require_fitting(const Schema& schema, const ColumnTypes& types, bool label_given) {
  for (const Column& column : schema.columns) require_fitting_column(column, types);
  const Label& label = schema.label;
  require(types.counts(label.column).empty(), label.column, "is a point in time and has no classes");
  if (const auto known = types.values(label.column)) {
    for (const auto* texts : {&label.classes, &label.negative, &label.positive}) {
      if (label.classes.empty() || texts == &label.classes) require_values(label.column, *texts, *known);
    }
    return;
  }
  require(label_given || !types.is_text(label.column), label.column,
          "holds texts, and nothing says which classes they mean; declare them by options => '{\"negative\": [\"no\"], "
          "\"positive\": [\"yes\"]}', or classes for more than two");
}

}  // namespace sotto::capi
