#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sotto/base/fields.h"

/// Every way to set up a member of a catalogue, from its declared fields: all members of closed sets with the settings
/// of their own fields, all names of enumerations and a few numbers of every number, crossed. A new method, schedule
/// or field is met without an edit.
namespace sotto::audit {

/// The numbers an audit tries for the field of this name and default; of none, the field keeps its default.
using FieldNumbers = std::function<std::vector<double>(std::string_view name, double standard)>;

/// The numbers of a field as values of its type, each once.
template <class Value>
std::vector<Value> field_values(std::string_view name, Value standard, const FieldNumbers& numbers) {
  std::vector<Value> values;
  for (const double number : numbers(name, static_cast<double>(standard))) {
    const auto value = static_cast<Value>(number);
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  if (values.empty()) values.push_back(standard);
  return values;
}

/// The number of settings of a type with fields.
template <class T>
std::uint64_t variant_count(const FieldNumbers& numbers);

/// The number of members of a closed set, each as often as it has settings.
template <class Set>
std::uint64_t member_count(const FieldNumbers& numbers) {
  std::uint64_t count = 0;
  for_each_member<Set>([&](auto tag) { count += variant_count<typename decltype(tag)::type>(numbers); });
  return count;
}

template <class T>
std::uint64_t variant_count(const FieldNumbers& numbers) {
  std::uint64_t count = 1;
  T object{};
  for_each_field(object, [&](std::string_view name, auto& value, std::string_view) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (IsVariant<Value>::value) {
      count *= member_count<Value>(numbers);
    } else if constexpr (NamedEnum<Value>) {
      count *= enum_names(Value{}).size();
    } else if constexpr (std::is_arithmetic_v<Value>) {
      count *= field_values(name, value, numbers).size();
    }
  });
  return count;
}

/// Setting number `index` below variant_count<T>().
template <class T>
T variant_at(std::uint64_t index, const FieldNumbers& numbers);

/// Member number `index` below member_count<Set>().
template <class Set>
Set member_at(std::uint64_t index, const FieldNumbers& numbers) {
  Set chosen{};
  bool found = false;
  for_each_member<Set>([&](auto tag) {
    using Member = typename decltype(tag)::type;
    const std::uint64_t settings = variant_count<Member>(numbers);
    if (!found && index < settings) {
      chosen = variant_at<Member>(index, numbers);
      found = true;
    }
    index -= settings;
  });
  return chosen;
}

template <class T>
T variant_at(std::uint64_t index, const FieldNumbers& numbers) {
  T object{};
  const auto digit = [&](std::uint64_t base) {
    const std::uint64_t d = index % base;
    index /= base;
    return d;
  };
  for_each_field(object, [&](std::string_view name, auto& value, std::string_view) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (IsVariant<Value>::value) {
      value = member_at<Value>(digit(member_count<Value>(numbers)), numbers);
    } else if constexpr (NamedEnum<Value>) {
      value = enum_names(Value{})[digit(enum_names(Value{}).size())].second;
    } else if constexpr (std::is_arithmetic_v<Value>) {
      const std::vector<Value> values = field_values(name, value, numbers);
      value = values[digit(values.size())];
    }
  });
  return object;
}

/// "batch_rows=7 averaging=uniform ...": what differs from the defaults, also of the members of closed sets.
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
    if constexpr (IsVariant<std::remove_cvref_t<decltype(value)>>::value) {
      std::visit([&](const auto& member) { text += settings_text(member); }, value);
    }
  });
  return text;
}

}  // namespace sotto::audit
