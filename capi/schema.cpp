#include "sotto/data/schema.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "capi/boundary.h"
#include "capi/column_types.h"
#include "capi/plain_json.h"
#include "sotto/data/schema_json.h"

// From the declarations about a table's columns to a complete schema.
namespace sotto::capi {
namespace {

using Json = nlohmann::ordered_json;

Json parse(const char* text, const std::string& field) {
  Json json;
  try {
    json = parse_plain(text, field);
  } catch (const Json::exception&) {
    throw Error(ErrorKind::invalid_argument, field + ": is not JSON", field);
  }
  require(json.is_object(), field, "must be a JSON object");
  return json;
}

bool all_of_type(const Json& list, bool (Json::*is)() const noexcept) {
  return std::all_of(list.begin(), list.end(), [&](const Json& item) { return (item.*is)(); });
}

Json category_json(const std::string& name, const Json& values) {
  return Json{{"name", name}, {"kind", "category"}, {"values", values}};
}

/// [0, 1] and ["a", "b"] spelled out; null is all values of a type that lists them, or a number taken as it is.
Json column_json(const std::string& name, const Json& given, const ColumnTypes& types) {
  Json column{{"name", name}, {"kind", "numeric"}};
  if (given.is_null()) {
    const auto known = types.values(name);
    return known ? category_json(name, *known) : column;
  }
  if (given.is_array() && !given.empty() && all_of_type(given, &Json::is_string)) return category_json(name, given);
  if (given.is_array()) {
    require(given.size() == 2 && all_of_type(given, &Json::is_number), name, "must be [min, max] or a list of texts");
    column["min"] = given[0];
    column["max"] = given[1];
    return column;
  }
  require(given.is_object(), name, "must be [min, max], a list of texts, an object or null");
  for (const auto& [key, value] : given.items()) column[key] = value;
  if (given.contains("values")) column["kind"] = "category";
  if (column.contains("missing") && column["missing"].is_boolean()) {  // of a NULL
    column["missing"] = column["missing"].get<bool>() ? Json{""} : Json::array();
  }
  return column;
}

bool is_array_column(const Json& features) {
  return features.size() == 1 && features.front().is_object() && features.front().contains("size");
}

/// An array of numbers is one row of a file of numbers.
void declare_array(const Json& given, Json& schema) {
  schema["format"] = "idx";
  for (const auto& [key, value] : given.items()) {
    if (key == "size") {
      schema["features"] = value;
    } else {
      require(key == "min" || key == "max", key, "an array has size, min and max");
      schema["range"][key] = value;
    }
  }
}

bool declares_label(const Json& options) {
  return options.contains("positive") || options.contains("negative") || options.contains("classes");
}

void take_options(const Json& options, Json& schema) {
  for (const auto& [key, value] : options.items()) {
    if (key == "positive" || key == "negative" || key == "classes" || key == "public") {
      schema["label"][key] = value;
    } else if (key == "check") {
      require(value.is_boolean(), key, "must be true or false");  // the host's business: it changes no row
    } else if (key != "confirm") {
      require(key == "data_norm" || key == "intercept" || key == "projection", key, "is no option of a table");
      schema[key] = value;
    }
  }
}

/// A ledger takes private requests only, and none from what was seen in the rows.
void require_confirmed(Schema& schema, const Json& options) {
  const Json word = options.value("confirm", Json(false));
  require(word.is_boolean(), "confirm", "must be true or false");
  if (word.get<bool>()) return confirm(schema);
  const std::vector<std::string> open = unconfirmed(schema);
  if (open.empty()) return;
  throw Error(
      ErrorKind::invalid_argument,
      "features: " + list_of(open) +
          " were suggested from the rows. Replace what is only known from them, then "
          "leave \"public\": false out; or say options => '{\"confirm\": true}': your word that all of it is public",
      "features");
}

std::string complete(const std::string& label, const Json& features, const Json& options, const ColumnTypes& types) {
  require(!features.empty(), "features", "declare at least one column");
  Json schema{{"label", {{"column", label}}}, {"storage", "dense"}};
  take_options(options, schema);
  if (is_array_column(features)) {
    declare_array(features.front(), schema);
    Schema declared = schema_from_json(schema.dump());
    declare_label(types, options, declared.label);
    require_fitting(declared, types, declares_label(options));
    require_confirmed(declared, options);
    require(declared.features > 0, "size", "must be at least 1");
    require(declared.range || declared.data_norm, "data_norm", "declare min and max of the numbers, or data_norm");
    mark_complete(declared);
    return to_json(declared);
  }
  schema["format"] = "csv";
  std::vector<std::string> names;
  for (const auto& [name, given] : features.items()) {
    schema["columns"].push_back(column_json(name, given, types));
    names.push_back(name);
  }
  names.push_back(label);
  Schema declared = schema_from_json(schema.dump());
  declare_label(types, options, declared.label);
  require_fitting(declared, types, declares_label(options));
  require_confirmed(declared, options);
  return to_json(complete_schema(std::move(declared), names));
}

}  // namespace
}  // namespace sotto::capi

sotto_status sotto_schema(const char* label, const char* features, const char* options, const char* types,
                          sotto_text* schema, sotto_error* error) {
  using namespace sotto::capi;
  return guarded(error, [&] {
    try {
      *schema = copy_text(complete(label, parse(features, "features"), parse(options, "options"), ColumnTypes(types)));
    } catch (const nlohmann::json::exception&) {
      throw sotto::Error(sotto::ErrorKind::invalid_argument, "label: must be text in UTF-8", "label");
    }
  });
}
