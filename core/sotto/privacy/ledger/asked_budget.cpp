#include "sotto/privacy/ledger/asked_budget.h"

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/privacy/ledger/default_delta.h"

namespace sotto {

Filter opened_filter(const AskedBudget& asked, std::uint64_t rows) {
  const FilterKind kind = asked.filter.empty() ? FilterKind::sum : enum_by_name<FilterKind>(asked.filter, "filter");
  // Of rows nobody has counted it would be that of one row, at which rows could be published whole.
  require(asked.delta || rows > 0, "delta",
          "must be given where the number of rows is not known; a tenth of 1/rows or less is usual");
  const double delta = asked.delta.value_or(default_delta(rows)) + 0.0;  // 0 for -0
  return Filter::open(kind, {asked.epsilon, delta, asked.relation}, asked.rdp_order);
}

}  // namespace sotto
