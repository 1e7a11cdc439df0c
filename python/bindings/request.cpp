#include "request.h"

#include <set>

#include "sotto/base/fields.h"
#include "sotto/model/json.h"

namespace sotto::python {
namespace {

template <class T>
void apply(T& object, const GivenFields& given, std::set<std::string>& used) {
  for_each_field_deep(object, [&](std::string_view name, auto& value, std::string_view) {
    const auto found = given.find(std::string(name));
    if (found == given.end()) return;
    used.insert(found->first);
    value = parse_value<std::remove_cvref_t<decltype(value)>>(found->second, name);
  });
}

template <class T>
Json fields_json() {
  Json list = Json::array();
  T object{};
  for_each_field(object, [&](std::string_view name, auto& value, std::string_view help) {
    list.push_back(Json{{"name", name}, {"default", value_text(value)}, {"help", help}});
  });
  return list;
}

template <class Variant>
Json members_json() {
  Json list = Json::array();
  for_each_member<Variant>([&](auto tag) {
    using Member = typename decltype(tag)::type;
    Json entry{{"name", Member::kName}, {"summary", Member::kSummary}, {"fields", fields_json<Member>()}};
    if constexpr (requires { Member::kReference; }) entry["reference"] = Member::kReference;
    if constexpr (requires { Member::kAliases; }) entry["aliases"] = Member::kAliases;
    if constexpr (HasLossTraits<Member>) entry["probabilities"] = enum_name(Member::kProbabilities);
    list.push_back(entry);
  });
  return list;
}

}  // namespace

TrainRequest request_from(const GivenFields& given) {
  TrainRequest request;
  std::set<std::string> used{"method"};
  const auto method = given.find("method");
  require(method != given.end(), "method", "must be given");
  request.method = make_by_name<Method>(method->second, "method");
  apply(request.problem, given, used);
  std::visit([&](auto& method) { apply(method, given, used); }, request.method);
  apply(request.budget, given, used);
  for (const auto& [name, text] : given) {
    require(used.contains(name), name,
            "method " + method->second + " with loss " + std::string(name_of(request.problem.loss)) +
                " has no parameter " + name);
  }
  return request;
}

Facts facts_from(const nanobind::dict& facts) {
  Facts made;
  made.rows = nanobind::cast<std::uint64_t>(facts["rows"]);
  made.features = nanobind::cast<std::uint32_t>(facts["features"]);
  made.data_norm = nanobind::cast<double>(facts["data_norm"]);
  made.classes = nanobind::cast<std::uint32_t>(facts["classes"]);
  return made;
}

std::string catalog_json() {
  return Json{{"losses", members_json<Loss>()},
              {"methods", members_json<Method>()},
              {"steps", members_json<StepSchedule>()},
              {"problem", fields_json<Problem>()},
              {"budget", fields_json<Budget>()}}
      .dump();
}

}  // namespace sotto::python
