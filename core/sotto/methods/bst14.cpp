// What: BST14 for a constant number of passes: its plan.
// Formula: lambda = 0: eta_t = 2R/(G sqrt t), G^2 = (d sigma^2 + b^2 L^2)/b^2 on mean gradients; lambda > 0:
//   eta_t = 1/(lambda t); noise on the sum over a Poisson batch at q = b/m. published: sigma as printed, with iota = 1.
// Conditions: spec 7.3. The printed proof uses sensitivity 1 where it is D = 2; for b = 1 the noise suffices all the
//   same, which is recomputed here; for mini-batches it does not (docs/notes/descent.md).
// Reference: [Wu17, Algorithms 4 and 5], [Bassily14]; [Zhu22] for the accounting.
// Fails if wrong: Bst14.*
#include "sotto/methods/bst14.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/losses/loss.h"
#include "sotto/methods/row_count.h"

namespace sotto {
namespace {

constexpr double kMaxRadius = 1e12;
constexpr const char* kWhyPublished =
    "the mini-batch extension of BST14 as printed keeps the noise of single draws, which understates it several times "
    "over";

SampledRun shape_of(const Bst14& options, const PlanInput& input) {
  require(options.radius >= 0 && options.radius <= kMaxRadius, "radius", "must lie between 0 and 1e12");
  require(options.radius > 0 || input.problem.lambda > 0, "radius",
          "must be given for lambda 0: the steps depend on it");
  require(options.batch_rows > 0, "batch_rows", "must be above 0");
  return sampled_run({options.passes, options.batch_rows, 0, options.declared_rows}, input);
}

SampledCalibrated noise_of(const Bst14& options, const SampledRun& shape, const PlanInput& input) {
  if (options.calibration == Bst14Calibration::accounted) {
    return calibrate_sampled(sampled_shape(shape), input.budget, SampledAccounting::pld);
  }
  require(input.budget.delta > 0, "delta", "must be above 0: this plan adds Gaussian noise");
  const double sigma = bst14_published_sigma(static_cast<double>(shape.rows), shape.steps, input.budget);
  return account_sampled(sampled_shape(shape), input.budget, sigma);
}

double radius_of(const Bst14& options, double lambda) {
  return options.radius > 0 ? options.radius : std::min(1 / lambda, kMaxRadius);
}

Pace pace_of(const Bst14& options, const SampledRun& shape, const SampledGaussian& law, double lambda) {
  if (lambda > 0) return InversePace{lambda};
  const double b = static_cast<double>(shape.batch_rows), sigma = law.noise.stddev();
  const double length =
      std::sqrt(static_cast<double>(shape.weights) * sigma * sigma + b * b * shape.clip * shape.clip) / b;
  return RootPace{2 * radius_of(options, lambda), length};
}

}  // namespace

double bst14_published_sigma(double rows, std::uint64_t steps, const Budget& budget) {
  const double count = static_cast<double>(steps), delta_one = budget.delta / count;
  const double spread = std::sqrt(2 * count * std::log(1 / delta_one));
  double low = 0, high = std::min(budget.epsilon, 50.0);
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (count * middle * std::expm1(middle) + spread * middle > budget.epsilon ? high : low) = middle;
  }
  const double epsilon_two = std::min(1.0, rows * low / 2);
  return std::sqrt(2 * std::log(1.25 / delta_one)) / epsilon_two;
}

Plan Bst14::plan(const PlanInput& input) const {
  const SampledRun shape = shape_of(*this, input);
  const SampledCalibrated noise = noise_of(*this, shape, input);
  Plan plan = start_plan(*this, input);
  plan.noise = noise.planned;
  plan.noise_at = NoiseAt::each_batch;
  plan.charges = {noise.charge()};
  plan.l2_sensitivity = noise.law().noise.sensitivity;
  plan.weighted_share = shape.clip / noise.law().noise.grid.sensitivity;
  plan.theorem = "spec 6.2 and 7.3; [Zhu22]";
  plan.remarks.push_back(std::to_string(shape.steps) + " steps, each row in a step with probability " +
                         number_text(shape.rate) + "; l2_sensitivity is what one row adds to a sum");
  state_capacity(plan, input, shape.capacity);
  if (calibration == Bst14Calibration::published) {
    plan.remarks.push_back("noise as published; by privacy-loss distribution epsilon is " +
                           number_text(noise.planned.epsilon) + " at delta " + number_text(input.budget.delta) +
                           ", stated " + number_text(input.budget.epsilon));
    const bool holds = noise.planned.epsilon <= input.budget.epsilon;
    require(holds || shape.batch_rows > 1, "calibration",
            "the published noise does not keep the stated epsilon; use accounted");
    if (shape.batch_rows > 1) plan.not_private.emplace_back(kWhyPublished);
  }
  plan.guarantee = {plan.noise->epsilon, plan.noise->delta, input.budget.relation, "one row", "all iterates"};
  plan.work.way = SampledWork{shape,
                              input.problem.loss,
                              noise.law(),
                              {input.problem.lambda, 0, radius_of(*this, input.problem.lambda)},
                              pace_of(*this, shape, noise.law(), input.problem.lambda)};
  return plan;
}

}  // namespace sotto
