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

void FieldFlags::add(std::string_view name, std::string_view help, const std::vector<std::string_view>& choices) {
  if (!added_.emplace(name).second) return;
  const std::string key(name);
  std::string text(help);
  if (!choices.empty()) text += ": " + join_names(choices);
  app_.add_option_function<std::string>(
          flag_of(name), [this, key](const std::string& given) { given_[key] = given; }, text)
      ->group(group_)
      ->type_name(name.ends_with("_file") ? "FILE" : one_of(choices));
}

std::string one_of(const std::vector<std::string_view>& choices) { return fmt::format("{}", fmt::join(choices, "|")); }

}  // namespace sotto::cli
