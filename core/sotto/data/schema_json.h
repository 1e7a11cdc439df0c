#pragma once
#include <string>
#include <string_view>

#include "sotto/data/schema.h"

namespace sotto {

/// JSON with every field, in the spelling of the members. The result of from_json(to_json(s)) equals s.
std::string to_json(const Schema& schema);
/// Strict: an unknown or repeated key, a wrong type or a bad value is an Error{invalid_argument} naming the key.
Schema schema_from_json(std::string_view text);

}  // namespace sotto
