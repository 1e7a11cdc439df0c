// What: step, passes and noise of noisy gradient descent from public facts.
// Formula: composition: sum sensitivity D + h sqrt(n) (add_remove: D + h sqrt(n)/2), h the grid of the rows' gradients,
//   clipped to C: D at most 2 C (add_remove: C); T Gaussian events (full), k times on disjoint batches (cyclic).
//   hidden state: step sensitivity s = eta D/b, computed steps within e of exact ones and a grid of step g, so that
//   mu sigma = s sqrt(F_hit) + (2 e + (1 + c) g sqrt d) sqrt(F_every) (payments of a sum are at most the sum).
//   passes 0: the noise a margin gathers over the run has standard deviation 0.5, between 10 and 200 passes.
// Conditions: spec 7.5. Reference: [Dong22, Corollary 3.3], [Bok24]; docs/notes/descent.md.
// Fails if wrong: Dpgd.*, Game.Dpgd*.
#include "sotto/methods/dpgd_shape.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/methods/row_count.h"
#include "sotto/optim/gradient_sum.h"
#include "sotto/optim/hidden_state.h"

namespace sotto {
namespace {

constexpr double kMinPasses = 10;
constexpr double kMaxPasses = 200;
constexpr double kMarginNoise = 0.5;
constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 28;

LossConstants constants_for(const PlanInput& input) {
  return constants_of(input.problem.loss, stored_norm(input.facts), input.facts.classes);
}

double default_step(const LossConstants& constants, double lambda) {
  return constants.smooth() ? 1 / (constants.smoothness + lambda) : 1 / (constants.lipschitz + lambda);
}

/// Passes after which noise of the budget, spread over them, has moved a unit row's margin by kMarginNoise.
std::uint32_t default_passes(const Dpgd& options, const DescentShape& shape, const PlanInput& input) {
  DescentShape one = shape;
  one.passes = 1;
  const Calibrated noise = dpgd_composition(options, one, input);
  const double stddev = std::visit([](const auto& m) { return m.stddev(); }, noise.mechanism);
  const double travel = shape.step_size / (1 - options.momentum) * std::sqrt(static_cast<double>(shape.batches));
  const double ideal = kMarginNoise * static_cast<double>(shape.batch_rows) / (travel * stddev);
  // Gaussian noise grows with the root of the passes, pure noise with their number.
  const double passes = input.budget.delta > 0 ? ideal : std::pow(ideal, 2.0 / 3);
  return static_cast<std::uint32_t>(std::clamp(passes, shape.batches > 1 ? 1.0 : kMinPasses, kMaxPasses));
}

void check_options(const Dpgd& options) {
  require(options.step_size >= 0 && options.step_size <= 1e9, "step_size", "must lie between 0 and 1e9");
  require(options.momentum >= 0 && options.momentum < 1, "momentum", "must be at least 0 and below 1");
  // Squares of weights as short as the radius must not underflow: a projection by a wrong norm expands.
  require(options.radius == 0 || (options.radius >= 1e-100 && options.radius <= 1e12), "radius",
          "must be 0, for none, or lie between 1e-100 and 1e12");
  require(options.clip >= 0 && options.clip <= 1e12, "clip", "must lie between 0 and 1e12");
}

/// A bound on the norm of the weights that noise does not reach in practice; a smaller radius is the user's.
double weight_bound(const Dpgd& options, double lipschitz_over_lambda, double noise_norm) {
  return options.radius > 0 ? options.radius : 2 * (lipschitz_over_lambda + 64 * noise_norm);
}

void refuse_for_hidden(const Dpgd& options, const DescentShape& shape, Relation relation) {
  // The divisor is declared, so with more rows than that the mean gradient is steeper than beta and may not contract.
  if (relation != Relation::replace_one) {
    throw Error(
        ErrorKind::unsupported,
        "bound: the hidden-state bound holds under replace_one only: steps contract only if the number of rows is "
        "known; use composition",
        "bound");
  }
  if (options.momentum != 0) {
    throw Error(ErrorKind::unsupported, "momentum: the hidden-state bound has no momentum; use composition",
                "momentum");
  }
  if (std::isfinite(shape.clip)) {
    throw Error(ErrorKind::unsupported, "clip: the hidden-state bound is for true gradients; use composition", "clip");
  }
  if (options.averaging != DescentAverage::last) {
    throw Error(ErrorKind::unsupported, "averaging: the hidden-state bound releases the last weights only",
                "averaging");
  }
  const bool gaussian =
      options.mechanism == MechanismChoice::automatic || options.mechanism == MechanismChoice::gaussian;
  if (!gaussian) {
    throw Error(ErrorKind::unsupported, "mechanism: the hidden-state bound is for gaussian noise", "mechanism");
  }
}

double hit_factor(double gap, const DescentShape& shape) {
  return shape.batches == 1 ? hidden_factor_full(gap, shape.passes)
                            : hidden_factor_cyclic(gap, shape.batches, shape.passes);
}

}  // namespace

DescentShape dpgd_shape(const Dpgd& options, const PlanInput& input) {
  check_input(input);
  check_options(options);
  const RowCount count = row_count(input, options.declared_rows);
  DescentShape shape;
  shape.rows = count.nominal;
  shape.capacity = count.capacity;
  shape.weights = weight_count(input.problem.loss, input.facts);
  const bool full = options.batch_rows == 0 || options.batch_rows >= count.nominal;
  if (!full && input.budget.relation != Relation::replace_one) {
    throw Error(
        ErrorKind::unsupported,
        "batch_rows: cyclic batches hold under replace_one only: removing a row moves every later row to another "
        "batch",
        "batch_rows");
  }
  shape.batch_rows = full ? count.nominal : options.batch_rows;
  shape.batches = full ? 1 : (count.nominal + options.batch_rows - 1) / options.batch_rows;
  const bool clips = options.clip > 0 && options.clip < constants_for(input).lipschitz;
  shape.clip = clips ? options.clip : std::numeric_limits<double>::infinity();
  shape.grid = narrow_grid(gradient_bound(input.problem.loss, input.facts, shape.clip),
                           full ? shape.capacity : shape.batch_rows);
  shape.step_size =
      options.step_size > 0 ? options.step_size : default_step(constants_for(input), input.problem.lambda);
  shape.passes = options.passes > 0 ? options.passes : default_passes(options, shape, input);
  require(shape.passes <= kMaxSteps / shape.batches, "passes", "more than 2^28 steps");
  return shape;
}

Calibrated dpgd_composition(const Dpgd& options, const DescentShape& shape, const PlanInput& input) {
  const Relation relation = input.budget.relation;
  const double whole = clipped_diameter(constants_for(input), shape.clip, relation) +
                       added_distance(shape.grid, shape.weights, relation == Relation::replace_one);
  return calibrate(options.mechanism, {whole, shape.weights, shape.passes, shape.batches}, input.budget);
}

double dpgd_weighted_share(const PlannedNoise& noise, const DescentShape& shape, const PlanInput& input) {
  const Relation relation = input.budget.relation;
  const LossConstants least = constants_at(input.problem.loss, stored_norm(input.facts), input.facts.classes, 0);
  const double whole = clipped_diameter(constants_for(input), shape.clip, relation);
  const double rounding = base_of(noise.mechanism).sensitivity - whole;
  const double smallest = clipped_diameter(least, shape.clip, relation);
  constexpr double kGrid = (1 + 1.0 / 1024) * (1 + 0x1p-30);  // make_grid adds at most that
  return smallest / ((smallest + rounding) * kGrid);
}

HiddenPlan dpgd_hidden(const Dpgd& options, const DescentShape& shape, const PlanInput& input) {
  refuse_for_hidden(options, shape, input.budget.relation);
  const LossConstants constants = constants_for(input);
  const double lambda = input.problem.lambda, eta = shape.step_size;
  const double gap = contraction_gap(eta, lambda, constants);
  const double divisor = static_cast<double>(shape.batch_rows);
  const double hit = eta * clipped_diameter(constants, shape.clip, input.budget.relation) / divisor *
                     std::sqrt(hit_factor(gap, shape));
  const double every = std::sqrt(hidden_factor_full(gap, shape.steps()));

  // First without rounding, for the radius that bounds the weights and with them the rounding.
  const JointCalibrated ideal = calibrate_joint({hit, 2 * every, shape.weights, shape.steps()}, input.budget);
  const double noise_norm = ideal.law().noise.stddev() * std::sqrt(static_cast<double>(shape.weights) / gap);
  const double radius = weight_bound(options, constants.lipschitz / lambda, noise_norm);

  HiddenPlan plan;
  plan.contraction = 1 - gap;
  plan.hit = hit;
  plan.rounding = step_rounding(
      {shape.weights, radius, eta * constants.lipschitz, slope_rounding(constants, stored_norm(input.facts))});
  plan.step = {eta, lambda, divisor, {radius}};
  const double total = hit + 2 * plan.rounding * every;
  if (total > 1.01 * hit) {
    throw Error(ErrorKind::unsupported,
                "bound: the rounding of steps would exceed 1 percent of the hidden-state sensitivity; raise lambda or "
                "set radius",
                "bound");
  }
  plan.noise = calibrate_joint({total, 2 * every, shape.weights, shape.steps()}, input.budget);
  return plan;
}

std::optional<HiddenPlan> dpgd_chosen(const Dpgd& options, const DescentShape& shape, const PlanInput& input) {
  if (options.bound == DescentBound::composition) return {};
  if (options.bound == DescentBound::hidden_state) return dpgd_hidden(options, shape, input);
  if (input.budget.delta == 0) return {};
  try {
    HiddenPlan hidden = dpgd_hidden(options, shape, input);
    const Calibrated sums = dpgd_composition(options, shape, input);
    // On one scale: what a step adds to a weight.
    const double composed = std::visit([](const auto& m) { return m.stddev(); }, sums.mechanism) * shape.step_size /
                            static_cast<double>(shape.batch_rows);
    if (hidden.noise.law().noise.stddev() < composed) return hidden;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unsupported && error.kind() != ErrorKind::invalid_argument) throw;
  }
  return {};
}

}  // namespace sotto
