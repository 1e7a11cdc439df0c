#include "request.h"

#include "sotto/base/fields.h"
#include "sotto/model/json.h"
#include "sotto/request.h"

namespace sotto::python {
namespace {

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
