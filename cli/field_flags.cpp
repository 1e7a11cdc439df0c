#include "field_flags.h"

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

void FieldFlags::add(std::string_view name, const std::string& help) {
  if (!added_.insert(std::string(name)).second) return;
  const std::string key(name);
  app_.add_option_function<std::string>(
          flag_of(name), [this, key](const std::string& text) { given_[key] = text; }, help)
      ->group(group_)
      ->type_name(name.ends_with("_file") ? "FILE" : "");
}

}  // namespace sotto::cli
