#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/fields.h"

/// Command-line flags derived from declared fields: `batch_rows` is `--batch-rows`, its help is the field's.
namespace sotto::cli {

/// --batch-rows for batch_rows.
std::string flag_of(std::string_view field_name);
/// batch_rows for --batch-rows.
std::string field_of(std::string_view flag);

/// The names a value of this type takes, if it is one of a list.
template <class Value>
std::vector<std::string_view> choices_of() {
  std::vector<std::string_view> choices;
  if constexpr (IsVariant<Value>::value) {
    choices = names<Value>();
  } else if constexpr (NamedEnum<Value>) {
    for (const auto& [name, value] : enum_names(Value{})) choices.push_back(name);
  } else if constexpr (std::is_same_v<Value, bool>) {
    choices = {"true", "false"};
  }
  return choices;
}
/// The type of a flag that takes one of these, by which completion knows them.
std::string one_of(const std::vector<std::string_view>& choices);

/// Adds the flags of fields; a field met again (several methods share it) is added once, with its first help.
class FieldFlags {
 public:
  FieldFlags(CLI::App& app, std::string group) : app_(app), group_(std::move(group)) {}

  template <class T>
  void add_struct(T object = T{}) {
    for_each_field(object, [&](std::string_view name, auto& value, std::string_view help) {
      using Value = std::remove_cvref_t<decltype(value)>;
      add(name, help, choices_of<Value>());
      if constexpr (IsVariant<Value>::value) add_catalogue<Value>();
    });
  }
  template <class Variant>
  void add_catalogue() {
    for_each_member<Variant>([&](auto tag) { add_struct<typename decltype(tag)::type>(); });
  }
  /// `choices`: the names it takes, if it is one of a list.
  void add(std::string_view name, std::string_view help, const std::vector<std::string_view>& choices = {});

  const GivenFields& given() const noexcept { return given_; }

 private:
  CLI::App& app_;
  std::string group_;
  GivenFields given_;
  std::set<std::string, std::less<>> added_;
};

/// An option for a number, read by the rules of declared fields: decimal digits only. An option bound to a variable
/// would take 0x10, and wrap around for a sign or a number too large. `Value` is a number, or an optional of one.
template <class Value>
CLI::Option* add_number(CLI::App& app, const std::string& flag, Value& target, const std::string& help) {
  const std::string name = field_of(flag);
  CLI::Option* option = app.add_option_function<std::string>(
      flag, [&target, name](const std::string& text) { target = parse_value<Value>(text, name); }, help);
  return option->type_name("")->default_function([&target] { return value_text(target); });
}
/// The same for a whole number.
template <class Value>
CLI::Option* add_count(CLI::App& app, const std::string& flag, Value& target, const std::string& help) {
  return add_number(app, flag, target, help);
}

}  // namespace sotto::cli
