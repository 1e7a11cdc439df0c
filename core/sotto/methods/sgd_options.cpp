#include "sotto/methods/sgd_options.h"

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/optim/row_gradients.h"

namespace sotto {

void Problem::check() const {
  require(lambda == 0 || (lambda >= 1e-100 && lambda <= 1e6), "lambda", "must be 0 or lie between 1e-100 and 1e6");
  std::visit([](const auto& l) { l.check(); }, loss);
}

Recipe make_recipe(const SgdOptions& options, const Problem& problem, const Facts& facts) {
  constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 34;
  constexpr std::uint64_t kMaxWeights = std::uint64_t{1} << 30;
  problem.check();
  require(facts.rows > 0, "rows", "must be above 0");
  require(facts.features > 0, "features", "must be above 0");
  require(facts.data_norm >= kMinDataNorm && facts.data_norm <= 1e6, "data_norm", "must lie between 1e-30 and 1e6");
  require(facts.classes >= 2 && facts.classes <= kMaxClasses, "classes", "must lie between 2 and 4096");
  require(weight_count(problem.loss, facts) <= kMaxWeights, "classes",
          "classes times features must be at most 2^30, one weight each");
  require(options.passes > 0, "passes", "must be above 0");
  require(options.batch_rows > 0, "batch_rows", "must be above 0");
  // Squares of weights as short as the radius must not underflow, nor those of weights as long overflow.
  require(options.radius == 0 || (options.radius >= 1e-100 && options.radius <= 1e100), "radius",
          "must be 0, for none, or lie between 1e-100 and 1e100");

  Recipe recipe;
  recipe.loss = problem.loss;
  recipe.lambda = problem.lambda;
  recipe.batch_rows = options.batch_rows;
  recipe.passes = options.passes;
  recipe.projection = {options.radius};
  recipe.averaging = options.averaging;
  recipe.fresh_order = options.order == RowOrder::fresh;
  const double smoothness = constants_of(problem.loss, stored_norm(facts), facts.classes).smoothness;
  recipe.step = step_rule(options.step, {smoothness, problem.lambda, facts.rows});
  require(recipe.passes <= kMaxSteps / recipe.steps_per_pass(facts.rows), "passes",
          "more than 2^34 steps; lower passes or raise batch_rows");
  return recipe;
}

}  // namespace sotto
