#include "sotto/request.h"

#include <set>
#include <string_view>
#include <type_traits>
#include <utility>

#include "sotto/base/error.h"

namespace sotto {
namespace {

/// A closed set, what it holds now, and its members that have the field.
struct Owner {
  std::string choice;
  std::string chosen;
  std::vector<std::string> members;
};

template <class Variant>
Owner owner_of(std::string_view choice, const Variant& value, std::string_view name) {
  return {std::string(choice), std::string(name_of(value)), members_with<Variant>(name)};
}

/// The first closed set among the fields of `object` with a member that has the field.
template <class T>
Owner owner_within(const T& object, std::string_view name) {
  Owner owner;
  for_each_field(object, [&](std::string_view choice, const auto& value, std::string_view) {
    if constexpr (IsVariant<std::remove_cvref_t<decltype(value)>>::value) {
      if (owner.members.empty()) owner = owner_of(choice, value, name);
    }
  });
  return owner;
}

/// From the nearest choice to the farthest: the step of this method, another method, another loss.
Owner owner_of(const TrainRequest& request, std::string_view name) {
  Owner owner = std::visit([&](const auto& method) { return owner_within(method, name); }, request.method);
  if (owner.members.empty()) owner = owner_of("method", request.method, name);
  if (owner.members.empty()) owner = owner_within(request.problem, name);
  return owner;
}

[[noreturn]] void refuse_field(const TrainRequest& request, const std::string& name) {
  Owner owner = owner_of(request, name);
  if (owner.members.empty()) {
    throw Error(ErrorKind::invalid_argument,
                name + ": method " + std::string(name_of(request.method)) + " with loss " +
                    std::string(name_of(request.problem.loss)) + " has no parameter " + name,
                name);
  }
  const bool chooses = owner.choice == "method" && std::holds_alternative<Auto>(request.method);
  std::string message = name;
  message.append(": ").append(owner.choice).append(" ").append(owner.chosen);
  message += chooses ? " chooses it" : " has none";
  Hint hint{HintKind::other_choice, {std::move(owner.choice)}};
  for (std::string& member : owner.members) hint.arguments.push_back(std::move(member));
  throw Error(ErrorKind::invalid_argument, message, name, std::move(hint));
}

}  // namespace

TrainRequest request_from(const GivenFields& given, const std::string& default_method) {
  TrainRequest request;
  std::set<std::string> used{"method", "order_seed"};
  const auto text_of = [&](const char* name) { return given.contains(name) ? &given.at(name) : nullptr; };
  const std::string* method = text_of("method");
  request.method = make_by_name<Method>(method != nullptr ? *method : default_method, "method");
  if (const std::string* seed = text_of("order_seed"))
    request.order_seed = parse_value<std::uint64_t>(*seed, "order_seed");
  apply_fields(request.problem, given, used);
  std::visit([&](auto& chosen) { apply_fields(chosen, given, used); }, request.method);
  apply_fields(request.budget, given, used);
  for (const auto& [name, text] : given) {
    if (!used.contains(name)) refuse_field(request, name);
  }
  return request;
}

}  // namespace sotto
