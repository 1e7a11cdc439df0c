#include "sotto/base/catalog.h"

#include "sotto/base/nearest.h"

namespace sotto {

std::string join_names(const std::vector<std::string_view>& list) {
  std::string result;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) result += i + 1 == list.size() ? " or " : ", ";
    result += list[i];
  }
  return result;
}

void refuse_name(std::string_view given, std::string_view field_name, const std::vector<std::string_view>& known) {
  throw Error(ErrorKind::invalid_argument,
              std::string(field_name) + ": got '" + std::string(given) + "', must be " + join_names(known),
              std::string(field_name), did_you_mean(given, known));
}

}  // namespace sotto
