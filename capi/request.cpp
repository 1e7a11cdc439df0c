#include "capi/request.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "capi/plain_json.h"
#include "sotto/base/fields.h"

namespace sotto::capi {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const std::string& key, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_float()) return number_text(value.get<double>());
  require(value.is_number(), key, "must be a number, a text or a truth value");
  return value.dump();
}

Json object_of(const std::string& text) {
  Json json;
  try {
    json = parse_plain(text, "request");
  } catch (const Json::exception&) {
    throw Error(ErrorKind::invalid_argument, "request: is not JSON", "request");
  }
  require(json.is_object(), "request", "must be a JSON object");
  return json;
}

GivenFields fields_of(const Json& json) {
  GivenFields given;
  for (const auto& [key, value] : json.items()) {
    if (!value.is_null()) given.insert_or_assign(key, text_of(key, value));
  }
  return given;
}

/// Takes a key that is no declared field out of what was given.
std::optional<std::string> taken(GivenFields& given, const std::string& key) {
  const auto found = given.find(key);
  if (found == given.end()) return std::nullopt;
  std::string text = std::move(found->second);
  given.erase(found);
  return text;
}

/// "lambda=1e-4,1e-3;passes=5" from {"lambda": [1e-4, 1e-3], "passes": 5}.
std::string grid_text(const Json& grid) {
  if (grid.is_string()) return grid.get<std::string>();
  require(grid.is_object(), "grid", "must be an object of lists, one key a parameter");
  std::string text;
  for (const auto& [key, values] : grid.items()) {
    text += (text.empty() ? "" : ";") + key + "=";
    if (!values.is_array()) {
      text += text_of(key, values);
      continue;
    }
    for (std::size_t i = 0; i < values.size(); ++i) text += (i == 0 ? "" : ",") + text_of(key, values[i]);
  }
  return text;
}

Asked asked_from(GivenFields given, const std::string& default_method) {
  Asked asked;
  if (const auto again = taken(given, "again")) asked.again = parse_value<bool>(*again, "again");
  asked.train = request_from(given, default_method);
  return asked;
}

}  // namespace

Asked asked_from(const std::string& json, const std::string& default_method) {
  return asked_from(fields_of(object_of(json)), default_method);
}

TuneAsked tune_asked_from(const std::string& json) {
  Json object = object_of(json);
  require(object.contains("grid"), "grid", "must be given: what is tried");
  TuneAsked asked;
  asked.tune.grid = parse_grid(grid_text(object["grid"]));
  object.erase("grid");
  GivenFields given = fields_of(object);
  asked.tune.by = enum_by_name<TuneBy>(taken(given, "tune_by").value_or("random_stopping"), "tune_by");
  if (const auto runs = taken(given, "mean_runs"))
    asked.tune.mean_runs = parse_value<std::uint32_t>(*runs, "mean_runs");
  Asked train = asked_from(std::move(given), "auto");
  asked.tune.train = std::move(train.train);
  asked.again = train.again;
  return asked;
}

}  // namespace sotto::capi
