#include "sotto/methods/row_count.h"

#include <algorithm>
#include <string>

#include "sotto/base/error.h"

namespace sotto {

// Any capacity is sound: rounding is paid for at the capacity, and more rows are refused. This one has room for guesses
// that are far off where that costs nothing, and stays within the 2^40 rows that bounds on rounding are stated for.
RowCount row_count(const PlanInput& input, std::uint64_t declared_rows) {
  constexpr std::uint64_t kRoomy = std::uint64_t{1} << 25;
  constexpr std::uint64_t kMax = std::uint64_t{1} << 38;
  if (input.budget.relation == Relation::replace_one) {
    require(declared_rows == 0, "declared_rows", "is for add_remove; under replace_one the number of rows is public");
    return {input.facts.rows, input.facts.rows};
  }
  require(declared_rows > 0 && declared_rows <= kMax, "declared_rows",
          "must be given under add_remove, where the number of rows is private: about how many there are, up to 2^38");
  const RowCount count{declared_rows, std::max(4 * declared_rows, std::min(kRoomy, 1024 * declared_rows))};
  require(input.facts.rows <= count.capacity, "declared_rows", "the table has more rows than this declaration allows");
  return count;
}

void cover_rows(Plan& plan, std::uint64_t most) {
  plan.work.rows.fewest = 0;
  plan.work.rows.most = most;
}

void state_capacity(Plan& plan, const PlanInput& input, std::uint64_t rows) {
  if (input.budget.relation != Relation::add_remove) return;
  cover_rows(plan, rows);
  plan.remarks.push_back("add_remove over tables of at most " + std::to_string(rows) + " rows; more are refused");
}

void check_input(const PlanInput& input) {
  input.problem.check();
  input.budget.check();
  // Under add_remove the count is private, an empty table included.
  require(input.facts.rows > 0 || input.budget.relation == Relation::add_remove, "rows", "must be above 0");
  require(input.facts.features > 0, "features", "must be above 0");
  require(input.facts.data_norm >= kMinDataNorm && input.facts.data_norm <= 1e6, "data_norm",
          "must lie between 1e-30 and 1e6");
}

}  // namespace sotto
