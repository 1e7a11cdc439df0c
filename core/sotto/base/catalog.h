#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "sotto/base/error.h"

/// Walking a closed set (a std::variant) by name, and the declared fields of its members.
///
/// A member type of a catalogue has
///   static constexpr std::string_view kName, kSummary;
///   static constexpr auto fields();   // std::tuple of Field, one per parameter; may be empty
/// Front ends derive flags, keywords, help and reference pages from these declarations alone.
namespace sotto {

/// One declared parameter: its one spelling, where it lives, its help text.
template <class Owner, class T>
struct Field {
  std::string_view name;
  T Owner::*member;
  std::string_view help;
};
template <class Owner, class T>
constexpr Field<Owner, T> field(std::string_view name, T Owner::*member, std::string_view help) {
  return {name, member, help};
}

/// True for a struct that declares fields() of its own (a nested group of parameters).
template <class T>
concept HasFields = requires {
  T::fields();
};
/// True for a closed set.
template <class T>
struct IsVariant : std::false_type {};
template <class... Ts>
struct IsVariant<std::variant<Ts...>> : std::true_type {};

/// Calls visit(name, value reference, help) for every field of `object`, descending into nested groups.
template <class T, class Visitor>
void for_each_field(T& object, Visitor&& visit) {
  std::apply(
      [&](const auto&... f) {
        [[maybe_unused]] const auto one = [&](const auto& declared) {
          auto& value = object.*(declared.member);
          if constexpr (HasFields<std::remove_cvref_t<decltype(value)>>) {
            for_each_field(value, visit);
          } else {
            visit(declared.name, value, declared.help);
          }
        };
        (one(f), ...);
      },
      std::remove_const_t<T>::fields());
}

/// Calls visit(std::type_identity<Member>) for every member of the closed set.
template <class Variant, class Visitor>
void for_each_member(Visitor&& visit) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (visit(std::type_identity<std::variant_alternative_t<I, Variant>>{}), ...);
  }
  (std::make_index_sequence<std::variant_size_v<Variant>>{});
}

/// The names of the closed set in declaration order.
template <class Variant>
std::vector<std::string_view> names() {
  std::vector<std::string_view> result;
  for_each_member<Variant>([&](auto tag) { result.push_back(decltype(tag)::type::kName); });
  return result;
}

/// "a, b or c", for messages.
std::string join_names(const std::vector<std::string_view>& list);

/// Throws Error{invalid_argument}: `given` is no name of the set, which is listed. The hint has the nearest ones.
[[noreturn]] void refuse_name(std::string_view given, std::string_view field_name,
                              const std::vector<std::string_view>& known);

/// The name of the member a variant holds.
template <class Variant>
std::string_view name_of(const Variant& value) requires IsVariant<Variant>::value {
  return std::visit([](const auto& member) { return std::remove_cvref_t<decltype(member)>::kName; }, value);
}

/// The member called `name` (or one of its kAliases) with default parameters; otherwise an error that lists the set.
template <class Variant>
Variant make_by_name(std::string_view name, std::string_view field_name) {
  Variant result;
  bool found = false;
  for_each_member<Variant>([&](auto tag) {
    using Member = typename decltype(tag)::type;
    bool match = name == Member::kName;
    if constexpr (requires { Member::kAliases; }) {
      for (std::string_view alias : Member::kAliases) match = match || name == alias;
    }
    if (match) {
      result = Member{};
      found = true;
    }
  });
  if (!found) refuse_name(name, field_name, names<Variant>());
  return result;
}

}  // namespace sotto
