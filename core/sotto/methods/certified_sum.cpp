#include "sotto/methods/certified_sum.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/methods/row_count.h"

namespace sotto {

CertifiedSum certified_sum(std::string_view method, const PlanInput& input, std::uint64_t declared_rows) {
  input.problem.check();
  const Facts& facts = input.facts;
  require(facts.features > 0, "features", "must be above 0");
  require(facts.data_norm >= kMinDataNorm && facts.data_norm <= 1e6, "data_norm", "must lie between 1e-30 and 1e6");
  require(input.problem.lambda > 0, "lambda",
          "got 0, must be above 0 for " + std::string(method) +
              ": without curvature no bound on the minimiser holds; try 0.001, or 10 over the number of rows");
  require(facts.rows > 0 || input.budget.relation == Relation::add_remove, "rows", "must be above 0");
  const RowCount count = row_count(input, declared_rows);
  CertifiedSum sum;
  sum.rows = static_cast<double>(count.nominal);
  sum.curvature = sum.rows * input.problem.lambda;
  sum.bound = facts;
  sum.bound.rows = count.capacity;
  return sum;
}

double choose_tolerance(double asked, double wanted, double reachable, double most) {
  require(asked >= 0 && std::isfinite(asked), "tolerance", "must be at least 0");
  require(asked <= std::max(most, reachable), "tolerance",
          "got " + number_text(asked) + ", must be at most " + number_text(std::max(most, reachable)) +
              ", what one row can change");
  require(asked == 0 || asked >= reachable, "tolerance",
          "got " + number_text(asked) + ", must be 0 or at least " + number_text(reachable) +
              ", what the rounding of the gradient lets be certified");
  return asked > 0 ? asked : std::max(wanted, reachable);
}

}  // namespace sotto
