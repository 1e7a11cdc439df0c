// What: SGD with noise correlated over steps: its plan.
// Formula: sensitivity of C G: (D + 2 e) |sum_j C[:, 1 + j n]|, G the batch sums, plus the rounding of the mixing and
//   of the grid over all T rows of C G; sigma = sensitivity/mu; one event (spec 7.10).
// Conditions: replace_one, the same order in every pass, Gaussian noise, at most 20000 steps (mixing is quadratic).
// Reference: [Denisov22, Theorem 2.1], [Choquette23], [Fichtenberger23]; docs/notes/descent.md.
// Fails if wrong: Correlated.*, Game.Correlated*.
#include "sotto/methods/correlated.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/methods/row_count.h"
#include "sotto/optim/correlated.h"
#include "sotto/optim/row_gradients.h"
#include "sotto/privacy/joint_gaussian.h"

namespace sotto {
namespace {

constexpr std::uint64_t kMaxSteps = 20000;
constexpr std::uint64_t kMaxNumbers = std::uint64_t{1} << 27;
constexpr double kMarginNoise = 0.5;

struct Shape {
  std::uint64_t batch_rows = 0;
  std::uint64_t steps = 0;  ///< of all passes
  std::size_t weights = 0;
  double step_size = 0;
  double hit = 0;  ///< the part of the sensitivity that is in proportion to D
  JointCalibrated noise{};
};

void check_options(const Correlated& options, const PlanInput& input) {
  check_input(input);
  if (input.budget.relation != Relation::replace_one) {
    throw Error(ErrorKind::unsupported,
                "relation: correlated holds under replace_one only: removing a row moves every later row to another "
                "batch",
                "relation");
  }
  if (options.order == RowOrder::fresh) {
    throw Error(ErrorKind::unsupported, "order: the sensitivity needs the same order in every pass", "order");
  }
  require(options.passes > 0, "passes", "must be above 0");
  require(options.step_size >= 0 && options.step_size <= 1e9, "step_size", "must lie between 0 and 1e9");
  require(options.radius >= 0 && options.radius <= 1e12, "radius", "must lie between 0 and 1e12");
}

/// The largest step with which the noise of the last weights moves a unit row's margin by at most kMarginNoise: a
/// prefix sum of C^-1 Z has standard deviation sigma |first T coefficients of (1-x)^(-1/2)|.
double default_step(const Shape& shape, const LossConstants& constants, double lambda) {
  double squares = 0;
  for (const double c : inverse_root_coefficients(shape.steps)) squares += c * c;
  const double largest = 1 / ((constants.smooth() ? constants.smoothness : constants.lipschitz) + lambda);
  const double noise = shape.noise.law().noise.stddev() * std::sqrt(squares) / static_cast<double>(shape.batch_rows);
  return std::min(largest, kMarginNoise / noise);
}

Shape shape_of(const Correlated& options, const PlanInput& input) {
  check_options(options, input);
  const std::uint64_t rows = input.facts.rows;
  Shape shape;
  shape.batch_rows = std::min(rows, options.batch_rows > 0 ? options.batch_rows : (rows + 49) / 50);
  const std::uint64_t per_pass = (rows + shape.batch_rows - 1) / shape.batch_rows;
  shape.weights = weight_count(input.problem.loss, input.facts);
  require(per_pass <= kMaxSteps / options.passes, "batch_rows",
          "more than 20000 steps in all, and mixing their noise takes their square; raise batch_rows");
  shape.steps = per_pass * options.passes;
  require(shape.steps * shape.weights <= kMaxNumbers, "batch_rows",
          "steps times weights must be at most 2^27; raise batch_rows");
  const LossConstants constants = constants_of(input.problem.loss, stored_norm(input.facts), input.facts.classes);
  const double batch = static_cast<double>(shape.batch_rows), count = static_cast<double>(shape.steps);
  // Rows are added one after the other.
  const double rounding = 2 * 0x1p-53 * (batch + 4) * batch * constants.lipschitz;
  // A row of C G is off by at most (T + 4) u times the sum of its terms, each of norm at most c_k b L, and the c_k add
  // up to at most 2 sqrt T; T rows, two runs.
  const double mixing = 2 * std::sqrt(count) * 0x1p-53 * (4 * count + 8) * 2 * std::sqrt(count) * batch *
                        (constants.lipschitz + rounding);
  const double sums = (constants.diameter_replace_one + 2 * rounding) * participation_norm(per_pass, options.passes);
  shape.hit = constants.diameter_replace_one * participation_norm(per_pass, options.passes);
  require(mixing <= 0.01 * sums, "batch_rows", "so many steps are too inexact in binary64");
  shape.noise = calibrate_joint({sums + mixing, std::sqrt(count), shape.weights, shape.steps}, input.budget);
  shape.step_size = options.step_size > 0 ? options.step_size : default_step(shape, constants, input.problem.lambda);
  return shape;
}

}  // namespace

Plan Correlated::plan(const PlanInput& input) const {
  const Shape shape = shape_of(*this, input);
  Plan plan = start_plan(*this, input);
  plan.noise = shape.noise.planned;
  plan.noise_at = NoiseAt::each_batch;
  plan.weighted_share = shape.hit / shape.noise.law().noise.grid.sensitivity;
  plan.charges = {shape.noise.charge()};
  plan.l2_sensitivity = shape.noise.law().noise.sensitivity;
  plan.guarantee = {plan.noise->epsilon, plan.noise->delta, input.budget.relation, "one row", "all iterates"};
  plan.theorem = "spec 7.10; [Denisov22, Theorem 2.1], [Choquette23]";
  plan.remarks.push_back(std::to_string(shape.steps) + " steps of size " + number_text(shape.step_size) + " on " +
                         std::to_string(shape.batch_rows) +
                         " rows; l2_sensitivity and noise are those of the mixed sums of all steps");
  plan.work.way =
      CorrelatedWork{{input.problem.loss, input.problem.lambda, shape.step_size, radius, shape.batch_rows, shape.steps},
                     order,
                     passes,
                     shape.noise.law()};
  return plan;
}

}  // namespace sotto
