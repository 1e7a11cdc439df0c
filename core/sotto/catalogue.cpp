#include "sotto/catalogue.h"

#include "sotto/base/fields.h"
#include "sotto/request.h"

namespace sotto {
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
    Json entry{{"name", Member::kName}, {"summary", Member::kSummary}};
    if constexpr (requires { Member::kReference; }) entry["reference"] = Member::kReference;
    if constexpr (requires { Member::kAliases; }) entry["aliases"] = Member::kAliases;
    if constexpr (HasLossTraits<Member>) entry["probabilities"] = enum_name(Member::kProbabilities);
    entry["parameters"] = fields_json<Member>();
    list.push_back(entry);
  });
  return list;
}

}  // namespace

Json catalogue() {
  return Json{{"methods", members_json<Method>()},
              {"losses", members_json<Loss>()},
              {"steps", members_json<StepSchedule>()},
              {"problem", fields_json<Problem>()},
              {"budget", fields_json<Budget>()}};
}

}  // namespace sotto
