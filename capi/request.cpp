#include "capi/request.h"

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "sotto/base/fields.h"

namespace sotto::capi {
namespace {

using Json = nlohmann::ordered_json;
using Given = std::map<std::string, std::string>;

std::string text_of(const std::string& key, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_float()) return number_text(value.get<double>());
  require(value.is_number(), key, "must be a number, a text or a truth value");
  return value.dump();
}

Given fields_of(const std::string& text) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception&) {
    throw Error(ErrorKind::invalid_argument, "request: is not JSON", "request");
  }
  require(json.is_object(), "request", "must be a JSON object");
  Given given;
  for (const auto& [key, value] : json.items()) {
    if (!value.is_null()) given.insert_or_assign(key, text_of(key, value));
  }
  return given;
}

/// Takes a key that is no declared field out of what was given.
std::optional<std::string> taken(Given& given, const std::string& key) {
  const auto found = given.find(key);
  if (found == given.end()) return std::nullopt;
  std::string text = std::move(found->second);
  given.erase(found);
  return text;
}

template <class T>
void apply(T& object, const Given& given, std::set<std::string>& used) {
  for_each_field_deep(object, [&](std::string_view name, auto& value, std::string_view) {
    const auto found = given.find(std::string(name));
    if (found == given.end()) return;
    used.insert(found->first);
    value = parse_value<std::remove_cvref_t<decltype(value)>>(found->second, name);
  });
}

}  // namespace

Asked request_from(const std::string& json) {
  Given given = fields_of(json);
  Asked asked;
  TrainRequest& request = asked.train;
  const std::string method = taken(given, "method").value_or("bolt_on");
  request.algorithm = make_by_name<Algorithm>(method, "method");
  if (const auto seed = taken(given, "order_seed"))
    request.order_seed = parse_value<std::uint64_t>(*seed, "order_seed");
  if (const auto again = taken(given, "again")) asked.again = parse_value<bool>(*again, "again");
  std::set<std::string> used;
  apply(request.problem, given, used);
  std::visit([&](auto& algorithm) { apply(algorithm, given, used); }, request.algorithm);
  apply(request.budget, given, used);
  for (const auto& [name, text] : given) {
    require(used.contains(name), name, "method " + method + ", set up like this, has no such parameter");
  }
  return asked;
}

}  // namespace sotto::capi
