#include "sotto/data/schema_json.h"

#include <nlohmann/json.hpp>
#include <set>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"

namespace sotto {
namespace {

using Json = nlohmann::ordered_json;

/// Reads one JSON object field by field and refuses what it was not asked for.
class ObjectReader {
 public:
  ObjectReader(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    require(object.is_object(), where_, "must be an object");
  }
  const Json* find(std::string_view key) {
    asked_.insert(std::string(key));
    const auto found = object_.find(std::string(key));
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }
  std::string path(std::string_view key) const {
    return where_ == "schema" ? std::string(key) : where_ + "." + std::string(key);
  }
  void read(std::string_view key, std::string& value) {
    if (const Json* json = find(key)) value = text(*json, key);
  }
  void read(std::string_view key, bool& value) {
    const Json* json = find(key);
    if (json == nullptr) return;
    require(json->is_boolean(), path(key), "must be true or false");
    value = json->get<bool>();
  }
  void read(std::string_view key, HeaderLine& value) {
    if (find(key) == nullptr) return;
    bool names = true;
    read(key, names);
    value = names ? HeaderLine::present : HeaderLine::absent;
  }
  void read(std::string_view key, double& value) {
    const Json* json = find(key);
    if (json == nullptr) return;
    require(json->is_number(), path(key), "must be a number");
    value = json->get<double>();
  }
  void read(std::string_view key, std::optional<double>& value) {
    if (find(key) != nullptr) read(key, value.emplace());
  }
  template <std::unsigned_integral Integer>
  void read(std::string_view key, Integer& value) {
    const Json* json = find(key);
    if (json == nullptr) return;
    const bool fits = json->is_number_unsigned() && json->get<std::uint64_t>() <= std::numeric_limits<Integer>::max();
    require(fits, path(key), "must be a whole number from 0 to " + std::to_string(std::numeric_limits<Integer>::max()));
    value = json->get<Integer>();
  }
  void read(std::string_view key, std::vector<std::string>& value) {
    const Json* json = find(key);
    if (json == nullptr) return;
    require(json->is_array(), path(key), "must be a list of texts");
    value.clear();
    for (const Json& item : *json) value.push_back(text(item, key));
  }
  template <NamedEnum Enum>
  void read(std::string_view key, Enum& value) {
    if (const Json* json = find(key)) value = enum_by_name<Enum>(text(*json, key), path(key));
  }
  /// Refuses keys nobody asked for.
  void finish() const {
    for (const auto& [key, value] : object_.items()) {
      const bool known = asked_.contains(key);
      require(known, known ? "" : path(key), "unknown key");
    }
  }

 private:
  std::string text(const Json& json, std::string_view key) const {
    require(json.is_string(), path(key), "must be a text");
    return json.get<std::string>();
  }

  const Json& object_;
  std::string where_;
  std::set<std::string> asked_;
};

std::optional<Range> read_bounds(ObjectReader& object) {
  std::optional<double> min;
  std::optional<double> max;
  object.read("min", min);
  object.read("max", max);
  require(min.has_value() == max.has_value(), object.path("min"), "min and max are declared together");
  if (!min) return std::nullopt;
  return Range{*min, *max};
}

Column read_column(const Json& json, std::size_t position) {
  ObjectReader object(json, "columns[" + std::to_string(position) + "]");
  Column column;
  std::string kind = std::string(NumericColumn::kName);
  object.read("name", column.name);
  object.read("kind", kind);
  column.kind = make_by_name<ColumnKind>(kind, object.path("kind"));
  if (auto* numeric = std::get_if<NumericColumn>(&column.kind)) {
    numeric->range = read_bounds(object);
    object.read("scale", numeric->scale);
    object.read("missing", numeric->missing);
  } else if (auto* category = std::get_if<CategoryColumn>(&column.kind)) {
    object.read("values", category->values);
  }
  object.read("public", column.is_public);
  object.finish();
  return column;
}

Reduction read_projection(const Json& json) {
  ObjectReader object(json, "projection");
  std::string kind = std::string(NoProjection::kName);
  object.read("kind", kind);
  Reduction projection = make_by_name<Reduction>(kind, "projection.kind");
  std::visit(
      [&](auto& member) { for_each_field(member, [&](auto name, auto& value, auto) { object.read(name, value); }); },
      projection);
  object.finish();
  return projection;
}

Label read_label(const Json& json) {
  ObjectReader object(json, "label");
  Label label;
  object.read("column", label.column);
  object.read("positive", label.positive);
  object.read("negative", label.negative);
  object.read("classes", label.classes);
  object.read("public", label.is_public);
  object.finish();
  return label;
}

BoundsCost::Spent read_spent(const Json& json) {
  ObjectReader object(json, "bounds_cost.events");
  BoundsCost::Spent spent;
  object.read("event", spent.event);
  object.read("epsilon", spent.epsilon);
  object.read("times", spent.times);
  object.finish();
  return spent;
}

BoundsCost read_bounds_cost(const Json& json) {
  ObjectReader object(json, "bounds_cost");
  BoundsCost cost;
  object.read("relation", cost.relation);
  object.read("epsilon", cost.epsilon);
  object.read("delta", cost.delta);
  object.read("ledger", cost.ledger);
  if (const Json* events = object.find("events")) {
    require(events->is_array(), "bounds_cost.events", "must be a list of objects");
    for (const Json& event : *events) cost.events.push_back(read_spent(event));
  }
  object.finish();
  return cost;
}

Json bounds_cost_to_json(const BoundsCost& cost) {
  Json json = {{"relation", cost.relation}, {"epsilon", cost.epsilon}, {"delta", cost.delta}};
  json["events"] = Json::array();
  for (const BoundsCost::Spent& spent : cost.events) {
    json["events"].push_back({{"event", spent.event}, {"epsilon", spent.epsilon}, {"times", spent.times}});
  }
  json["ledger"] = cost.ledger;
  return json;
}

void read_columns(const Json* json, std::vector<Column>& columns) {
  if (json == nullptr) return;
  require(json->is_array(), "columns", "must be a list of objects");
  for (const Json& item : *json) columns.push_back(read_column(item, columns.size()));
}

Schema read_object(const Json& json) {
  ObjectReader object(json, "schema");
  Schema schema;
  object.find("$schema");  // for editors
  object.read("names", schema.names);
  if (!schema.names.empty()) schema.header = HeaderLine::absent;
  read_columns(object.find("columns"), schema.columns);
  if (const Json* label = object.find("label")) schema.label = read_label(*label);
  if (const Json* range = object.find("range")) {
    ObjectReader bounds(*range, "range");
    schema.range = read_bounds(bounds);
    bounds.finish();
  }
  for_each_field(schema, [&](auto name, auto& value, auto) { object.read(name, value); });
  if (const Json* projection = object.find("projection")) schema.projection = read_projection(*projection);
  object.read("complete", schema.complete);
  if (schema.complete) {
    schema.intercept = intercept_of(schema);  // as models are that were saved without
    mark_complete(schema);
  }
  object.read("bounds_from_data", schema.bounds_from_data);
  if (const Json* cost = object.find("bounds_cost")) schema.bounds_cost = read_bounds_cost(*cost);
  object.finish();
  return schema;
}

Json column_to_json(const Column& column) {
  Json json = {{"name", column.name}, {"kind", name_of(column.kind)}};
  if (const auto* numeric = std::get_if<NumericColumn>(&column.kind)) {
    if (numeric->range) {
      json["min"] = numeric->range->min;
      json["max"] = numeric->range->max;
    }
    json["scale"] = enum_name(numeric->scale);
    if (!numeric->missing.empty()) json["missing"] = numeric->missing;
  } else if (const auto* category = std::get_if<CategoryColumn>(&column.kind)) {
    json["values"] = category->values;
  }
  if (!column.is_public) json["public"] = false;
  return json;
}

Json label_to_json(const Label& label) {
  Json json{{"column", label.column}};
  if (label.classes.empty()) {
    json["positive"] = label.positive;
    json["negative"] = label.negative;
  } else {
    json["classes"] = label.classes;
  }
  if (!label.is_public) json["public"] = false;
  return json;
}

/// Parses, refusing repeated keys and deep nesting. The parser's own message is not passed on: it quotes the text, and
/// a data file may have been given in place of a schema.
Json parse(std::string_view text) {
  constexpr int kMaxDepth = 8;
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start) {
      require(depth < kMaxDepth, "schema", "is nested too deeply");
      keys.emplace_back();
    } else if (event == Json::parse_event_t::object_end || event == Json::parse_event_t::array_end) {
      keys.pop_back();
    } else if (event == Json::parse_event_t::key) {
      const bool is_new = keys.back().insert(parsed.get<std::string>()).second;
      require(is_new, "schema", is_new ? "" : "key '" + parsed.get<std::string>() + "' appears twice");
    }
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), watch);
  } catch (const Json::parse_error& error) {
    throw Error(ErrorKind::invalid_argument, "schema: is not JSON from byte " + std::to_string(error.byte) + " on",
                "schema");
  } catch (const Json::exception&) {
    throw Error(ErrorKind::invalid_argument, "schema: has a number out of range", "schema");
  }
}

}  // namespace

Schema schema_from_json(std::string_view text) {
  Schema schema = read_object(parse(text));
  check_schema(schema);
  return schema;
}

std::string to_json(const Schema& schema) {
  Json json;
  if (!schema.names.empty()) json["names"] = schema.names;
  json["columns"] = Json::array();
  for (const Column& column : schema.columns) json["columns"].push_back(column_to_json(column));
  json["label"] = label_to_json(schema.label);
  if (schema.range) json["range"] = {{"min", schema.range->min}, {"max", schema.range->max}};
  for_each_field(schema, [&](auto name, const auto& value, auto) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, HeaderLine>) {
      if (value != HeaderLine::automatic) json[std::string(name)] = value == HeaderLine::present;
    } else if constexpr (requires { value.has_value(); }) {
      if (value) json[std::string(name)] = *value;
    } else if constexpr (requires { enum_names(value); }) {
      json[std::string(name)] = enum_name(value);
    } else {
      json[std::string(name)] = value;
    }
  });
  Json projection = {{"kind", name_of(schema.projection)}};
  std::visit(
      [&](const auto& member) {
        for_each_field(member, [&](auto name, const auto& value, auto) { projection[std::string(name)] = value; });
      },
      schema.projection);
  json["projection"] = projection;
  json["complete"] = schema.complete;
  json["bounds_from_data"] = schema.bounds_from_data;
  if (schema.bounds_cost) json["bounds_cost"] = bounds_cost_to_json(*schema.bounds_cost);
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace sotto
