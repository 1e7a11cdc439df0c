#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace sotto::capi {

/// JSON of declarations and requests. Refuses as an Error in `field`, besides deep nesting: a key that an object has
/// twice, of which two readers could take different ones; and a zero byte in a text, which texts of hosts cannot hold.
/// What is no JSON is an exception of the parser's.
nlohmann::ordered_json parse_plain(std::string_view text, const std::string& field);

}  // namespace sotto::capi
