#pragma once
#include <array>
#include <string_view>
#include <utility>

namespace sotto {

/// Which data sets are neighbours. Under replace_one the number of rows is public; under add_remove it is private.
enum class Relation { replace_one, add_remove };

constexpr auto enum_names(Relation) {
  return std::array{std::pair{std::string_view("replace_one"), Relation::replace_one},
                    std::pair{std::string_view("add_remove"), Relation::add_remove}};
}

}  // namespace sotto
