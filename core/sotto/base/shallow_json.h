#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "sotto/base/error.h"

namespace sotto {

/// JSON from outside. Copying and writing a value calls itself for each level, so deep nesting would exhaust the stack:
/// it is refused as an Error of this kind in `field`. What is no JSON is an exception of the parser's.
inline nlohmann::ordered_json parse_shallow(std::string_view text, const std::string& field,
                                            ErrorKind kind = ErrorKind::invalid_argument) {
  using Parsed = nlohmann::ordered_json;
  constexpr int kDeepest = 64;
  bool too_deep = false;
  Parsed json = Parsed::parse(text, [&](int depth, Parsed::parse_event_t, Parsed&) {
    too_deep = too_deep || depth > kDeepest;
    return !too_deep;
  });
  if (too_deep) throw Error(kind, field + ": is nested too deeply", field);
  return json;
}

}  // namespace sotto
