#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "sotto/base/error.h"

namespace sotto {

/// JSON from outside. Copying and writing a value calls itself for each level, so deep nesting would exhaust the stack:
/// it is refused as Error{invalid_argument} in `field`. What is no JSON is an exception of the parser's.
inline nlohmann::ordered_json parse_shallow(std::string_view text, const std::string& field) {
  using Json = nlohmann::ordered_json;
  constexpr int kDeepest = 64;
  bool too_deep = false;
  Json json = Json::parse(text, [&](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > kDeepest;
    return !too_deep;
  });
  if (too_deep) throw Error(ErrorKind::invalid_argument, field + ": is nested too deeply", field);
  return json;
}

}  // namespace sotto
