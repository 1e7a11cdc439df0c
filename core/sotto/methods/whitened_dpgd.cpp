// What: second moments M of the rows with noise, a map T made of them, noisy gradient descent on the images T x.
// Formula: M' = M + N, entries of the packed triangle N(0, sigma^2), values v_i; r = 0.3 sigma sqrt(2 d);
//   a_i = max(v_i, 0), e_i = a_i + r; T = X sqrt(m/(0.2 k)) M'(e)^-p, k = max(r^(1 - 2p), sum a_i e_i^(-2p)).
//   A row is scaled to |T x| <= X, then spec 7.5 by composition with D of the loss at norm X.
//   mu^2 = mu_moments^2 + T mu_step^2; w = T' u, u the weights of images. p = 1/2; where exp(entropy of the shares of
//   max(v_i - r, 0)) > 7, p = 1/4, steps of at most 10 (1 + momentum)/beta, and the mean of the last 0.3 of them.
// Conditions: delta > 0; both relations; T and p are functions of M' and public facts. lambda acts on u.
// Reference: docs/notes/whitening.md; [Dong22, Corollary 3.3].
// Fails if wrong: WhitenedDpgd.*, Methods.*, Replay.*, LedgerReplay.*
#include "sotto/methods/whitened_dpgd.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/methods/dpgd_shape.h"
#include "sotto/methods/row_count.h"
#include "sotto/optim/gradient_sum.h"
#include "sotto/optim/second_moments.h"
#include "sotto/optim/views/whitened_rows.h"

namespace sotto {
namespace {

constexpr double kKept = 0x1p-10;  // of delta, for the numerical distance of both noises together
constexpr double kMostMarginRounding = 0x1p-20;
constexpr double kFrobenius = 1 + 0x1p-10;

double deviation(const Mechanism& mechanism) {
  return std::visit([](const auto& m) { return m.stddev(); }, mechanism);
}

/// Everything of a run that is public before it.
struct Layout {
  Dpgd descent{};
  DescentShape shape{};
  Calibrated moments{};
  Calibrated steps{};  // of T sums; its charge is theirs
  double epsilon = 0, delta = 0, distance = 0;
};

Dpgd descent_of(const WhitenedDpgd& method) {
  Dpgd descent;
  descent.passes = method.passes;
  descent.step_size = method.step_size;
  descent.momentum = method.momentum;
  descent.clip = method.clip;
  descent.bound = DescentBound::composition;
  descent.mechanism = MechanismChoice::gaussian;
  descent.declared_rows = method.declared_rows;
  return descent;
}

void refuse_unfit(const WhitenedDpgd& method, const PlanInput& input) {
  if (input.budget.delta == 0) {
    throw Error(ErrorKind::unsupported, "delta: second moments without delta are all noise; use objective", "delta");
  }
  require(method.share >= 0.01 && method.share <= 0.5, "share", "must lie between 0.01 and 0.5");
  if (input.facts.features > kMaxWhitenedFeatures) {
    throw Error(
        ErrorKind::unsupported,
        fmt::format("features: got {}, at most {} are whitened; use dpgd", input.facts.features, kMaxWhitenedFeatures),
        "features");
  }
}

bool replaces(const PlanInput& input) { return input.budget.relation == Relation::replace_one; }

/// The grid of the moments of at most so many rows.
RowGrid moments_grid(const PlanInput& input, std::uint64_t capacity) {
  return narrow_grid(outer_distance(stored_norm(input.facts), false), capacity);
}

/// Their noise; they cost `share` of mu^2.
Calibrated moments_noise(const WhitenedDpgd& method, const PlanInput& input, std::uint64_t capacity) {
  const std::size_t numbers = SecondMoments::packed_size(input.facts.features);
  const double distance = outer_distance(stored_norm(input.facts), replaces(input)) +
                          added_distance(moments_grid(input, capacity), numbers, replaces(input));
  Calibrated noise = calibrate(MechanismChoice::gaussian, {distance, numbers, 1, 1}, input.budget);
  std::get<GaussianNoise>(noise.mechanism).mu *= std::sqrt(method.share);
  return noise;
}

/// The largest Frobenius norm a map of moments with this noise may have: sqrt d times that of its largest value.
double longest_map(const Calibrated& moments, double rows, const PlanInput& input) {
  const double features = input.facts.features;
  const double floor = WhitenedWork::kFloor * deviation(moments.mechanism) * std::sqrt(2 * features);
  return input.facts.data_norm * std::sqrt(features * rows / (WhitenedWork::kShortest * floor));
}

/// What the map adds to the distance of two sums of images: the grid of the rows' gradients and the rounding of their
/// products at its scale, and the rounding of both images.
double image_distance(double longest, const DescentShape& shape, const PlanInput& input) {
  const RowGrid& grid = shape.grid;
  const double rows = static_cast<double>(shape.capacity);
  const double changed =
      added_distance(grid, shape.weights, replaces(input)) - 0x1p-40 * grid.bound + 0x1p-51 * grid.bound;
  const double image = (0x1p-53 + Whitening::kProductRounding * longest) * rows * grid.bound;
  return (longest * changed + 2 * image) * kFrobenius;
}

/// How far a computed margin of an image may be off, relative to |u| X: T' u, then its product with a row.
double margin_rounding(double longest, const PlanInput& input) {
  return 0x1p-52 * (input.facts.features + 4.0) * longest * kFrobenius;
}

/// Noise for a larger sensitivity: the same mu.
Calibrated widened(Calibrated noise, double by) {
  auto& gaussian = std::get<GaussianNoise>(noise.mechanism);
  gaussian.sensitivity += by;
  gaussian.grid = make_grid(gaussian.sensitivity, gaussian.dimension);
  return noise;
}

/// With `delta` for ideal noise; the rest of the budget's is for the numerical distance.
Layout lay_out(const WhitenedDpgd& method, const PlanInput& input, double delta) {
  PlanInput kept = input;
  kept.budget.delta = delta;
  Layout layout;
  layout.descent = descent_of(method);
  layout.shape = dpgd_shape(layout.descent, kept);
  layout.shape.grid = fine_gradients(input.problem.loss, input.facts, layout.shape.clip);
  layout.moments = moments_noise(method, kept, layout.shape.capacity);
  layout.steps = dpgd_composition(layout.descent, layout.shape, kept);
  const double longest = longest_map(layout.moments, static_cast<double>(layout.shape.rows), input);
  layout.steps = widened(layout.steps, image_distance(longest, layout.shape, input));
  require(margin_rounding(longest, input) <= kMostMarginRounding, "rows",
          "scores of images of so many rows are too inexact in binary64");
  std::get<GaussianNoise>(layout.steps.mechanism).mu *= std::sqrt(1 - method.share);

  const Charge charges[] = {layout.moments.charge(), layout.steps.charge()};
  layout.distance = layout.moments.distance + layout.steps.distance;
  layout.epsilon = input.budget.epsilon;
  layout.delta = composed_delta(charges, layout.epsilon) + (1 + std::exp(layout.epsilon)) * layout.distance;
  require(layout.delta <= input.budget.delta, "delta", "is too small for gaussian noise, which has a numerical delta");
  for (const Calibrated& noise : {layout.moments, layout.steps}) {
    require(deviation(noise.mechanism) <= kMaxStddev * base_of(noise.mechanism).grid.step, "epsilon",
            "is too small: the noise would leave the range of its integers");
  }
  // The card shows one noise; what it says of deltas is about both.
  layout.steps.epsilon = layout.epsilon;
  layout.steps.delta = layout.delta;
  layout.steps.delta_num = (1 + std::exp(layout.epsilon)) * layout.distance;
  return layout;
}

/// The epsilon that is asked for, or the largest whose numerical delta is small beside delta: a smaller one is promised
/// where more would promise nothing.
double promised_epsilon(const WhitenedDpgd& method, const PlanInput& input) {
  const double steps = static_cast<double>(dpgd_shape(descent_of(method), input).steps());
  const double distance = grid_noise_distance(SecondMoments::packed_size(input.facts.features)) +
                          steps * grid_noise_distance(input.facts.features);
  Budget kept = input.budget;
  kept.delta *= kKept;
  return numerical_cost(distance, kept).epsilon;
}

/// The distance is known once there is a layout: the second one spends what the first kept for nothing.
Layout lay_out(const WhitenedDpgd& method, const PlanInput& asked) {
  refuse_unfit(method, asked);
  PlanInput input = asked;
  input.budget.epsilon = promised_epsilon(method, asked);
  const double delta = input.budget.delta;
  Layout first = lay_out(method, input, delta * (1 - kKept));
  const double numerical = (1 + std::exp(input.budget.epsilon)) * first.distance * (1 + 0x1p-20);
  if (!(numerical < delta * kKept)) return first;
  Layout second = lay_out(method, input, (delta - numerical) * (1 - 0x1p-40));
  return second.distance <= first.distance ? second : first;
}

/// Whether scores are to become probabilities, and what is known of margins holds for them.
bool has_link(const PlanInput& input) {
  return has_logistic_slope(input.problem.loss) && outputs_of(input.problem.loss, input.facts.classes) == 1;
}

WhitenedWork work_of(const WhitenedDpgd& method, const Layout& layout, const PlanInput& input) {
  const double norm = input.facts.data_norm, lambda = input.problem.lambda;
  const LossConstants constants = constants_of(input.problem.loss, norm, input.facts.classes);
  WhitenedWork work;
  work.moments = layout.moments.mechanism;
  work.moments_grid = moments_grid(input, layout.shape.capacity);
  work.shape = layout.shape;
  const double longest = longest_map(layout.moments, static_cast<double>(layout.shape.rows), input);
  work.noise = {layout.steps.mechanism, input.problem.loss, layout.shape.clip, input.budget.relation,
                margin_rounding(longest, input)};
  work.steps = {lambda, method.momentum, 0};
  work.curvature = (constants.smooth() ? constants.smoothness : norm * norm) + lambda;
  work.largest_map = kFrobenius * longest;
  work.has_link = has_link(input);
  return work;
}

}  // namespace

double whitening_noise(const WhitenedDpgd& method, const PlanInput& input) {
  refuse_unfit(method, input);
  const RowCount rows = row_count(input, method.declared_rows);
  const double norm = input.facts.data_norm;
  return deviation(moments_noise(method, input, rows.capacity).mechanism) * std::sqrt(2.0 * input.facts.features) /
         (static_cast<double>(rows.nominal) * norm * norm);
}

Plan WhitenedDpgd::plan(const PlanInput& input) const {
  check_input(input);
  const Layout layout = lay_out(*this, input);
  Plan plan = start_plan(*this, input);
  plan.noise = layout.steps;
  plan.noise_at = NoiseAt::each_scan;
  plan.charges = {layout.steps.charge(), layout.moments.charge()};
  plan.distance = layout.distance;
  plan.l2_sensitivity = base_of(layout.steps.mechanism).sensitivity;
  plan.guarantee = {layout.epsilon, layout.delta, input.budget.relation, "one row", "second moments and all iterates"};
  plan.theorem = "spec 7.5 and 4.2, composition of the moments and every noised sum; [Dong22, Corollary 3.3]";
  plan.remarks.push_back(std::to_string(layout.shape.passes) + " steps of size " + number_text(layout.shape.step_size) +
                         " on whitened rows; lambda acts on the weights of whitened rows");
  plan.remarks.emplace_back(
      "the released moments may show rows that are spread over more than 7 directions. Then whitening is half done, "
      "steps are at most 10 (1 + momentum)/beta, and the model is the mean of the last 0.3 of them");
  plan.remarks.push_back(
      fmt::format("second moments of the rows first: noise of standard deviation {:.3g} an entry, {} of mu^2",
                  deviation(layout.moments.mechanism), number_text(share)));
  if (has_link(input)) {
    plan.remarks.emplace_back(
        "probabilities are the sigmoid of the score times a number that the model states as its link; it is made of "
        "what is released and costs nothing");
  }
  state_capacity(plan, input, layout.shape.capacity);
  plan.work.way = work_of(*this, layout, input);
  return plan;
}

}  // namespace sotto
