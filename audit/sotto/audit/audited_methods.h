#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/audit/variants.h"
#include "sotto/methods/method.h"

/// The catalogue of methods as an audit walks it: each with its settings by number.
namespace sotto::audit {

struct AuditedMethod {
  std::string name;
  std::uint64_t (*count)(const FieldNumbers& numbers);
  Method (*at)(std::uint64_t index, const FieldNumbers& numbers);
  /// The defaults, but for the first of the numbers of each field.
  Method (*plain)(const FieldNumbers& numbers);
};
/// All of them, or the one of that name.
std::vector<AuditedMethod> audited_methods(std::string_view name = {});

/// "batch_rows=7 averaging=uniform ...": what differs from the defaults.
template <class Set>
std::string settings_of(const Set& chosen) {
  return std::visit([](const auto& member) { return settings_text(member); }, chosen);
}

}  // namespace sotto::audit
