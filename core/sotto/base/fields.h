#pragma once
#include <charconv>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "sotto/base/catalog.h"

/// Reading and writing declared fields as text: the one place where a flag, a keyword or a card key becomes a value.
///
/// An enumeration used as a field has, beside it,
///   constexpr auto enum_names(E) { return std::array{std::pair{std::string_view, E}, ...}; }
/// A variant used as a field takes the member's name; the fields of the chosen member are fields of the owner too.
namespace sotto {

template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E e) {
  enum_names(e);
};

template <NamedEnum E>
std::string_view enum_name(E value) {
  for (const auto& [name, candidate] : enum_names(value)) {
    if (candidate == value) return name;
  }
  return "";
}

template <NamedEnum E>
E enum_by_name(std::string_view text, std::string_view field_name) {
  std::vector<std::string_view> known;
  for (const auto& [name, candidate] : enum_names(E{})) {
    if (name == text) return candidate;
    known.push_back(name);
  }
  refuse_name(text, field_name, known);
}

/// Parses a finite number; the whole text must be used.
double parse_number(std::string_view text, std::string_view field_name);
/// Parses a whole number from 0 to `most`.
std::uint64_t parse_count(std::string_view text, std::string_view field_name, std::uint64_t most);
/// The shortest text that reads back as the same number.
std::string number_text(double value);

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
T parse_value(std::string_view text, std::string_view field_name) {
  if constexpr (std::is_same_v<T, bool>) {
    require(text == "true" || text == "false", field_name, "got '" + std::string(text) + "', must be true or false");
    return text == "true";
  } else if constexpr (IsOptional<T>::value) {
    return parse_value<typename T::value_type>(text, field_name);
  } else if constexpr (std::is_floating_point_v<T>) {
    return parse_number(text, field_name);
  } else if constexpr (std::is_unsigned_v<T>) {
    return static_cast<T>(parse_count(text, field_name, std::numeric_limits<T>::max()));
  } else if constexpr (NamedEnum<T>) {
    return enum_by_name<T>(text, field_name);
  } else if constexpr (IsVariant<T>::value) {
    return make_by_name<T>(text, field_name);
  } else {
    static_assert(std::is_same_v<T, std::string>, "a field is a number, a flag, a name or a text");
    return std::string(text);
  }
}

template <class T>
std::string value_text(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (IsOptional<T>::value) {
    return value ? value_text(*value) : std::string();
  } else if constexpr (std::is_floating_point_v<T>) {
    return number_text(value);
  } else if constexpr (std::is_unsigned_v<T>) {
    return std::to_string(value);
  } else if constexpr (NamedEnum<T>) {
    return std::string(enum_name(value));
  } else if constexpr (IsVariant<T>::value) {
    return std::string(name_of(value));
  } else {
    return value;
  }
}

/// Calls visit(name, value, help) for every field, and for the fields of the members that variants hold.
template <class T, class Visitor>
void for_each_field_deep(T& object, const Visitor& visit) {
  for_each_field(object, [&](std::string_view name, auto& value, std::string_view help) {
    visit(name, value, help);
    if constexpr (IsVariant<std::remove_cvref_t<decltype(value)>>::value) {
      std::visit([&](auto& member) { for_each_field_deep(member, visit); }, value);
    }
  });
}

/// Sets the field `name` from text. Returns false if the object (with the members its variants now hold) has none.
template <class T>
bool set_field(T& object, std::string_view name, std::string_view text) {
  bool found = false;
  for_each_field_deep(object, [&](std::string_view field_name, auto& value, std::string_view) {
    if (found || field_name != name) return;
    found = true;
    value = parse_value<std::remove_cvref_t<decltype(value)>>(text, field_name);
  });
  return found;
}

/// What a front end was given, by field name, as text.
using GivenFields = std::map<std::string, std::string>;

/// Sets every given field that `object` has and marks it used. Names of closed sets come first in their owner: they
/// decide which other fields there are.
template <class T>
void apply_fields(T& object, const GivenFields& given, std::set<std::string>& used) {
  for_each_field_deep(object, [&](std::string_view name, auto& value, std::string_view) {
    const auto found = given.find(std::string(name));
    if (found == given.end()) return;
    used.insert(found->first);
    value = parse_value<std::remove_cvref_t<decltype(value)>>(found->second, name);
  });
}

template <class Variant>
std::vector<std::string> members_with(std::string_view name);
/// Whether T has the field `name`, in itself or in a member that one of its closed sets may hold.
template <class T>
bool declares(std::string_view name) {
  bool found = false;
  T object{};
  for_each_field(object, [&](std::string_view field_name, auto& value, std::string_view) {
    using Value = std::remove_cvref_t<decltype(value)>;
    found = found || field_name == name;
    if constexpr (IsVariant<Value>::value) found = found || !members_with<Value>(name).empty();
  });
  return found;
}
/// The members of a closed set that have the field.
template <class Variant>
std::vector<std::string> members_with(std::string_view name) {
  std::vector<std::string> having;
  for_each_member<Variant>([&](auto tag) {
    using Member = typename decltype(tag)::type;
    if (declares<Member>(name)) having.emplace_back(Member::kName);
  });
  return having;
}

}  // namespace sotto
