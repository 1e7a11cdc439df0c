#pragma once
#include <algorithm>
#include <cstdint>

#include "sotto/base/error.h"
#include "sotto/methods/plan.h"

namespace sotto {

/// What is public about the number of rows (spec 1.3): the count under replace_one; under add_remove a declared
/// constant, of which the true count, which is private, must not be more than 16 times.
struct PublicRows {
  std::uint64_t rows = 0;
  std::uint64_t most = 0;  ///< bounds the count wherever rounding grows with it
};

inline PublicRows public_rows(const PlanInput& input, std::uint64_t declared_rows) {
  constexpr std::uint64_t kMin = std::uint64_t{1} << 22;
  if (input.budget.relation == Relation::replace_one) {
    require(declared_rows == 0, "declared_rows", "is for add_remove; under replace_one the number of rows is public");
    return {input.facts.rows, input.facts.rows};
  }
  require(declared_rows > 0 && declared_rows < std::uint64_t{1} << 40, "declared_rows",
          "must be given under add_remove, where the number of rows is private: about how many there are");
  const std::uint64_t most = std::max(kMin, 16 * declared_rows);
  require(input.facts.rows <= most, "declared_rows", "the table has more rows than this declaration allows");
  return {declared_rows, most};
}

}  // namespace sotto
