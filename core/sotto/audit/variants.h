#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sotto/base/fields.h"

/// Every way to set up a member of a catalogue, from its declared fields: all members of closed sets and all names of
/// enumerations crossed, numbers from a short list by name. A new algorithm, schedule or averaging is met without an
/// edit.
namespace sotto::audit {

/// The numbers an audit tries for fields of these names; a field without a list keeps its default.
using FieldNumbers = std::function<std::vector<double>(std::string_view name)>;

/// The number of settings of `object`'s type.
template <class T>
std::uint64_t variant_count(const FieldNumbers& numbers) {
  std::uint64_t count = 1;
  T object{};
  for_each_field(object, [&](std::string_view name, auto& value, std::string_view) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (IsVariant<Value>::value) {
      count *= std::variant_size_v<Value>;
    } else if constexpr (NamedEnum<Value>) {
      count *= enum_names(Value{}).size();
    } else if (const std::size_t listed = numbers(name).size(); listed > 0) {
      count *= listed;
    }
  });
  return count;
}

/// Setting number `index` below variant_count<T>().
template <class T>
T variant_at(std::uint64_t index, const FieldNumbers& numbers) {
  T object{};
  for_each_field(object, [&](std::string_view name, auto& value, std::string_view) {
    using Value = std::remove_cvref_t<decltype(value)>;
    const auto digit = [&](std::uint64_t base) {
      const std::uint64_t d = index % base;
      index /= base;
      return d;
    };
    if constexpr (IsVariant<Value>::value) {
      value = make_by_name<Value>(names<Value>()[digit(std::variant_size_v<Value>)], name);
    } else if constexpr (NamedEnum<Value>) {
      value = enum_names(Value{})[digit(enum_names(Value{}).size())].second;
    } else if constexpr (std::is_arithmetic_v<Value>) {
      const std::vector<double> listed = numbers(name);
      if (!listed.empty()) value = static_cast<Value>(listed[digit(listed.size())]);
    }
  });
  return object;
}

/// "batch_rows=7 averaging=uniform ...": what differs from the defaults.
template <class T>
std::string settings_text(const T& object) {
  std::string text;
  T plain{};
  std::vector<std::string> defaults;
  for_each_field(plain,
                 [&](std::string_view, auto& value, std::string_view) { defaults.push_back(value_text(value)); });
  std::size_t i = 0;
  for_each_field(object, [&](std::string_view name, const auto& value, std::string_view) {
    const std::string set = value_text(value);
    if (set != defaults[i++]) text += " " + std::string(name) + "=" + set;
  });
  return text;
}

}  // namespace sotto::audit
