#pragma once
#include <cstddef>
#include <functional>
#include <string_view>

namespace sotto {

/// Lets a hash table of strings be searched with a view, without making a string for every cell.
struct TextHash {
  using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard's name
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
};

}  // namespace sotto
