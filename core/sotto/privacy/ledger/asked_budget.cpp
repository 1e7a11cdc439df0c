#include "sotto/privacy/ledger/asked_budget.h"

#include "sotto/base/fields.h"
#include "sotto/privacy/ledger/default_delta.h"

namespace sotto {

Filter opened_filter(const AskedBudget& asked, std::uint64_t rows) {
  const FilterKind kind = asked.filter.empty() ? FilterKind::sum : enum_by_name<FilterKind>(asked.filter, "filter");
  const double delta = asked.delta.value_or(default_delta(rows)) + 0.0;  // 0 for -0
  return Filter::open(kind, {asked.epsilon, delta, asked.relation}, asked.rdp_order);
}

}  // namespace sotto
