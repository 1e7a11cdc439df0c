#include "sotto/audit/audited_methods.h"

namespace sotto::audit {
namespace {

template <class A>
Method plain(const FieldNumbers& numbers) {
  A object{};
  for_each_field(object, [&](std::string_view name, auto& value, std::string_view) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_arithmetic_v<Value>) {
      value = field_values(name, value, numbers).front();
    }
  });
  return object;
}

}  // namespace

std::vector<AuditedMethod> audited_methods(std::string_view name) {
  std::vector<AuditedMethod> all;
  for_each_member<Method>([&](auto tag) {
    using A = typename decltype(tag)::type;
    if (!name.empty() && name != A::kName) return;
    all.push_back(
        {std::string(A::kName), variant_count<A>,
         [](std::uint64_t index, const FieldNumbers& numbers) { return Method(variant_at<A>(index, numbers)); },
         plain<A>});
  });
  return all;
}

}  // namespace sotto::audit
