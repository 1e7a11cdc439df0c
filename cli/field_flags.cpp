#include "field_flags.h"

#include <fmt/format.h>

#include <algorithm>

namespace sotto::cli {

std::string flag_of(std::string_view field_name) {
  std::string flag = "--" + std::string(field_name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::string field_of(std::string_view flag) {
  std::string field(flag.substr(flag.find_first_not_of('-')));
  std::replace(field.begin(), field.end(), '-', '_');
  return field;
}

void FieldFlags::add(std::string_view name, const std::string& help, std::string_view owner) {
  const std::string key(name);
  Flag& flag = added_[key];
  if (flag.option == nullptr) {
    flag.option = app_.add_option_function<std::string>(
        flag_of(name), [this, key](const std::string& text) { given_[key] = text; }, help);
    flag.option->group(group_)->type_name(name.ends_with("_file") ? "FILE" : "");
  }
  const auto same = std::find_if(flag.helps.begin(), flag.helps.end(), [&](const Help& h) { return h.text == help; });
  if (same != flag.helps.end()) {
    same->owners.push_back(owner);
  } else {
    flag.helps.push_back({help, {owner}});
  }
  flag.option->description(description_of(flag));
}

std::string FieldFlags::description_of(const Flag& flag) {
  std::string text = flag.helps.front().text;
  for (std::size_t i = 1; i < flag.helps.size(); ++i) {
    text += fmt::format(" ({}: {})", fmt::join(flag.helps[i].owners, ", "), flag.helps[i].text);
  }
  return text;
}

}  // namespace sotto::cli
