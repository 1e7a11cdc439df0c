#pragma once
#include <cstdint>
#include <string_view>

#include "sotto/methods/plan.h"

namespace sotto {

/// The public side of a sum over all rows that a certified minimiser works on: sum l0 + (curvature/2)|w|^2.
struct CertifiedSum {
  double rows = 0;       ///< m of the problem: the row count, or the declared constant under add_remove
  double curvature = 0;  ///< m lambda
  Facts bound{};         ///< the facts with the most rows the table may have; nothing else of the table is used
};

/// By row_count(). Throws Error naming what is missing or out of range; lambda must be above 0.
CertifiedSum certified_sum(std::string_view method, const PlanInput& input, std::uint64_t declared_rows);

/// The tolerance that was asked for (0: `wanted`), never below `reachable`. Throws Error{invalid_argument} if the one
/// asked for cannot be certified in binary64, or is above `most`, what one row can change of the gradient of the sum:
/// how soon a minimiser stops would be a question about the rows rather than one of accuracy.
double choose_tolerance(double asked, double wanted, double reachable, double most);

}  // namespace sotto
