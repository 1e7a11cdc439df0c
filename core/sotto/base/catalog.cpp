#include "sotto/base/catalog.h"

namespace sotto {

std::string join_names(const std::vector<std::string_view>& list) {
  std::string result;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) result += i + 1 == list.size() ? " or " : ", ";
    result += list[i];
  }
  return result;
}

}  // namespace sotto
