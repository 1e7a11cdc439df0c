#include "sotto/methods/certified_sum.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"

namespace sotto {
namespace {

std::uint64_t public_rows(const PlanInput& input, std::uint64_t declared_rows) {
  if (input.budget.relation == Relation::replace_one) {
    require(declared_rows == 0, "declared_rows", "is for add_remove; under replace_one the row count is public");
    require(input.facts.rows > 0, "rows", "must be above 0");
    return input.facts.rows;
  }
  require(declared_rows > 0 && declared_rows <= std::uint64_t{1} << 34, "declared_rows",
          "must be given under add_remove, where the row count is private: a public guess of it, up to 2^34");
  return declared_rows;
}

}  // namespace

CertifiedSum certified_sum(std::string_view method, const PlanInput& input, std::uint64_t declared_rows) {
  input.problem.check();
  const Facts& facts = input.facts;
  require(facts.features > 0, "features", "must be above 0");
  require(facts.data_norm >= kMinDataNorm && facts.data_norm <= 1e6, "data_norm", "must lie between 1e-30 and 1e6");
  require(input.problem.lambda > 0, "lambda",
          "got 0, must be above 0 for " + std::string(method) +
              ": without curvature no bound on the minimiser holds; try 0.001, or 10 over the number of rows");
  CertifiedSum sum;
  const std::uint64_t rows = public_rows(input, declared_rows);
  sum.rows = static_cast<double>(rows);
  sum.curvature = sum.rows * input.problem.lambda;
  sum.bound = facts;
  sum.bound.rows = input.budget.relation == Relation::replace_one ? rows : rows * kMaxOfDeclared;
  return sum;
}

void check_rows(const CertifiedSum& sum, const Engine& engine) {
  require(engine.facts().rows <= sum.bound.rows, "declared_rows", "is too small for this table by a factor above 64");
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
