#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/algorithms/algorithm.h"
#include "sotto/audit/variants.h"

/// The catalogue of algorithms as an audit walks it: each with its settings by number.
namespace sotto::audit {

struct Method {
  std::string name;
  std::uint64_t (*count)(const FieldNumbers& numbers);
  Algorithm (*at)(std::uint64_t index, const FieldNumbers& numbers);
  /// The defaults, but for the first of the numbers of each field.
  Algorithm (*plain)(const FieldNumbers& numbers);
};
/// All of them, or the one of that name.
std::vector<Method> methods(std::string_view name = {});

/// "batch_rows=7 averaging=uniform ...": what differs from the defaults.
template <class Set>
std::string settings_of(const Set& chosen) {
  return std::visit([](const auto& member) { return settings_text(member); }, chosen);
}

}  // namespace sotto::audit
