#include "sotto/data/schema.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "capi/boundary.h"
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

/// [0, 1] and ["a", "b"] spelled out; null is a number taken as it is.
Json column_json(const std::string& name, const Json& given) {
  Json column{{"name", name}, {"kind", "numeric"}};
  if (given.is_null()) return column;
  if (given.is_array() && !given.empty() && all_of_type(given, &Json::is_string)) {
    column["kind"] = "category";
    column["values"] = given;
    return column;
  }
  if (given.is_array()) {
    require(given.size() == 2 && all_of_type(given, &Json::is_number), name, "must be [min, max] or a list of texts");
    column["min"] = given[0];
    column["max"] = given[1];
    return column;
  }
  require(given.is_object(), name, "must be [min, max], a list of texts, an object or null");
  for (const auto& [key, value] : given.items()) column[key] = value;
  if (given.contains("values")) column["kind"] = "category";
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

void take_options(const Json& options, Json& schema) {
  for (const auto& [key, value] : options.items()) {
    if (key == "positive" || key == "negative" || key == "classes") {
      schema["label"][key] = value;
    } else if (key == "check") {
      require(value.is_boolean(), key, "must be true or false");  // the host's business: it changes no row
    } else {
      require(key == "data_norm" || key == "intercept" || key == "projection", key, "is no option of a table");
      schema[key] = value;
    }
  }
}

std::string complete(const std::string& label, const Json& features, const Json& options) {
  require(!features.empty(), "features", "declare at least one column");
  Json schema{{"label", {{"column", label}}}, {"storage", "dense"}};
  take_options(options, schema);
  if (is_array_column(features)) {
    declare_array(features.front(), schema);
    Schema declared = schema_from_json(schema.dump());
    require(declared.features > 0, "size", "must be at least 1");
    require(declared.range || declared.data_norm, "data_norm", "declare min and max of the numbers, or data_norm");
    mark_complete(declared);
    return to_json(declared);
  }
  schema["format"] = "csv";
  std::vector<std::string> names;
  for (const auto& [name, given] : features.items()) {
    schema["columns"].push_back(column_json(name, given));
    names.push_back(name);
  }
  names.push_back(label);
  return to_json(complete_schema(schema_from_json(schema.dump()), names));
}

}  // namespace
}  // namespace sotto::capi

sotto_status sotto_schema(const char* label, const char* features, const char* options, sotto_text* schema,
                          sotto_error* error) {
  using namespace sotto::capi;
  return guarded(error, [&] {
    try {
      *schema = copy_text(complete(label, parse(features, "features"), parse(options, "options")));
    } catch (const nlohmann::json::exception&) {
      throw sotto::Error(sotto::ErrorKind::invalid_argument, "label: must be text in UTF-8", "label");
    }
  });
}
