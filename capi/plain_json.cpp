#include "capi/plain_json.h"

#include <set>
#include <vector>

#include "sotto/base/fields.h"
#include "sotto/base/shallow_json.h"

namespace sotto::capi {
namespace {

using Json = nlohmann::ordered_json;

/// What the parser comes across: the keys of the objects that are open, and what is wrong so far.
struct Seen {
  std::vector<std::set<std::string>> keys;
  bool repeated = false;
  bool zero_byte = false;

  void take(Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(parsed.get<std::string>()).second) repeated = true;
    if ((event == Event::key || event == Event::value) && parsed.is_string()) {
      zero_byte = zero_byte || parsed.get_ref<const std::string&>().find('\0') != std::string::npos;
    }
  }
};

}  // namespace

Json parse_plain(std::string_view text, const std::string& field) {
  Json json = parse_shallow(text, field);
  Seen seen;
  json = Json::parse(text, [&](int, Json::parse_event_t event, Json& parsed) {
    seen.take(event, parsed);
    return true;
  });
  require(!seen.repeated, field, "has a key twice in one object");
  require(!seen.zero_byte, field, "has a text with the character \\u0000");
  return json;
}

}  // namespace sotto::capi
