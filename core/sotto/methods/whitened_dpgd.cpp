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
#include "sotto/linalg/kernels.h"
#include "sotto/linalg/symmetric_eigen.h"
#include "sotto/methods/dpgd_shape.h"
#include "sotto/methods/row_count.h"
#include "sotto/methods/whitened_link.h"
#include "sotto/optim/gradient_sum.h"
#include "sotto/optim/second_moments.h"
#include "sotto/optim/views/whitened_rows.h"

namespace sotto {
namespace {

constexpr double kFloor = 0.3;         // of the noise's largest eigenvalue, added to every value
constexpr double kShortest = 0.2;      // of the mean squared length of images: what is longer is scaled to it
constexpr double kManyDirections = 7;  // that hold the rows' length: whitening is then half done
constexpr double kKept = 0x1p-10;      // of delta, for the numerical distance of both noises together
constexpr std::uint64_t kRoom = 4;     // of the declared rows, at least
constexpr double kCheap = 0.001;       // of a sensitivity: so little the rounding of more rows may cost
constexpr double kFrobenius = 1 + 0x1p-10;

/// How descent goes, by what the released moments show.
struct Course {
  bool half;        ///< the map is the root of the one that whitens
  double averaged;  ///< share of the steps, the last ones, whose mean is released; 0: the last one alone
  double steepest;  ///< a step at most, in units of (1 + momentum)/beta
};
constexpr Course kNarrow{false, 0, HUGE_VAL};
constexpr Course kSpread{true, 0.3, 10};

double deviation(const Mechanism& mechanism) {
  return std::visit([](const auto& m) { return m.stddev(); }, mechanism);
}

/// Everything of a run that is public before it.
struct Layout {
  Dpgd descent{};
  DpgdShape shape{};
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

/// The noise of the moments of at most so many rows; they cost `share` of mu^2.
Calibrated moments_noise(const WhitenedDpgd& method, const PlanInput& input, std::uint64_t capacity) {
  const double norm = stored_norm(input.facts);
  const double exact = outer_distance(norm, input.budget.relation == Relation::replace_one);
  const double rounding = sum_rounding(capacity, norm * norm);
  require(2 * rounding <= 0.1 * exact, "rows", "sums over so many rows are too inexact in binary64");
  Calibrated noise =
      calibrate(MechanismChoice::gaussian,
                {exact + 2 * rounding, SecondMoments::packed_size(input.facts.features), 1, 1}, input.budget);
  std::get<GaussianNoise>(noise.mechanism).mu *= std::sqrt(method.share);
  return noise;
}

/// The largest Frobenius norm a map of moments with this noise may have: sqrt d times that of its largest value.
double longest_map(const Calibrated& moments, double rows, const PlanInput& input) {
  const double features = input.facts.features;
  const double floor = kFloor * deviation(moments.mechanism) * std::sqrt(2 * features);
  return input.facts.data_norm * std::sqrt(features * rows / (kShortest * floor));
}

double gradient_bound(const DpgdShape& shape, const PlanInput& input) {
  return std::min(constants_of(input.problem.loss, stored_norm(input.facts), input.facts.classes).lipschitz,
                  shape.clip);
}

/// How far a computed sum of images may be from that of exact products: the sum, then T times it.
double image_rounding(double longest, std::uint64_t rows, double bound, const PlanInput& input) {
  const double product = 2 * 0x1p-53 * (input.facts.features + 4.0) * static_cast<double>(rows) * bound;
  return kFrobenius * longest * (sum_rounding(rows, bound) + product);
}

std::uint64_t least_capacity(const RowCount& count) { return std::min(count.capacity, kRoom * count.nominal); }

/// Sums of images are rounded at the scale of the map, so under add_remove fewer rows than for others may be covered:
/// four times the declared ones, or as many as cost hardly anything.
std::uint64_t capacity_of(const WhitenedDpgd& method, const DpgdShape& shape, const PlanInput& input) {
  const RowCount count = row_count(input, method.declared_rows);
  std::uint64_t rows = least_capacity(count);
  const double longest = longest_map(moments_noise(method, input, rows), static_cast<double>(count.nominal), input);
  const double bound = gradient_bound(shape, input);
  const auto is_cheap = [&](std::uint64_t more) {
    return 2 * sum_rounding(more, 1) <= kCheap && 2 * image_rounding(longest, more, bound, input) <= kCheap * bound;
  };
  while (2 * rows <= count.capacity && is_cheap(2 * rows)) rows *= 2;
  require(input.facts.rows <= rows, "declared_rows", "the table has more rows than this declaration allows");
  return rows;
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
  layout.shape.capacity = capacity_of(method, layout.shape, input);
  layout.moments = moments_noise(method, kept, layout.shape.capacity);
  layout.steps = dpgd_composition(layout.descent, layout.shape, kept);
  const double longest = longest_map(layout.moments, static_cast<double>(layout.shape.rows), input);
  const double rounding = image_rounding(longest, layout.shape.capacity, gradient_bound(layout.shape, input), input);
  const double sensitivity = base_of(layout.steps.mechanism).sensitivity;
  require(2 * rounding <= 0.05 * sensitivity, "rows", "sums of so many images of rows are too inexact in binary64");
  // What constants_at() keeps for the rounding of margins is for 2^28 features at weights of the rows themselves.
  require(longest * (input.facts.features + 4.0) <= 0x1p26, "rows",
          "scores of images of so many rows are too inexact in binary64");
  layout.steps = widened(layout.steps, 2 * rounding);
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

/// The released moments: from here on no row is read for the map or the course.
struct Spectrum {
  SymmetricEigen eigen;
  double floor;  // added to every value

  double value(std::size_t i) const noexcept { return std::max(eigen.values[i], 0.0); }

  /// How many directions hold the rows' length, small values, most of them noise, left out: exp of the entropy.
  double directions() const noexcept {
    double total = 0, weighted = 0;
    for (const double value : eigen.values) {
      const double length = value - floor;
      if (!(length > 0)) continue;
      total += length;
      weighted += length * std::log(length);
    }
    return total > 0 ? total * std::exp(-weighted / total) : 0;
  }
};

Spectrum spectrum_of(const Vector& packed, const Layout& layout, std::size_t features) {
  const double noise = deviation(layout.moments.mechanism) * std::sqrt(2 * static_cast<double>(features));
  return {symmetric_eigen(unpack_triangle(packed, features), features), kFloor * noise};
}

/// value^p, p = 1/2 or, if half, 1/4.
double root_of(double value, bool half) { return half ? std::sqrt(std::sqrt(value)) : std::sqrt(value); }

Whitening whitening_of(const Spectrum& spectrum, bool half, const Layout& layout, const PlanInput& input) {
  const std::size_t features = input.facts.features;
  const double floor = spectrum.floor;
  Vector roots(features);
  double length = 0;  // of images, squared, before they are scaled
  for (std::size_t i = 0; i < features; ++i) {
    roots[i] = 1 / root_of(spectrum.value(i) + floor, half);
    length += spectrum.value(i) * roots[i] * roots[i];
  }
  const double rows = static_cast<double>(layout.shape.rows);
  const double shortest = std::max(half ? std::sqrt(floor) : 1.0, length);
  const double scale = input.facts.data_norm * std::sqrt(rows / (kShortest * shortest));
  for (double& root : roots) root *= scale;
  Whitening whitening{features, recombine(spectrum.eigen, roots)};
  // The plan pays for rounding up to this norm, whatever the decomposition did.
  const double most = kFrobenius * longest_map(layout.moments, rows, input), norm = whitening.frobenius();
  if (!(norm <= most)) {
    for (double& entry : whitening.matrix) entry = std::isfinite(norm) ? entry * (0.999 * most / norm) : 0.0;
  }
  return whitening;
}

double step_of(const Course& course, const WhitenedDpgd& method, const Layout& layout, const PlanInput& input) {
  const double norm = input.facts.data_norm;
  const LossConstants constants = constants_of(input.problem.loss, norm, input.facts.classes);
  const double curvature = (constants.smooth() ? constants.smoothness : norm * norm) + input.problem.lambda;
  return std::min(layout.shape.step_size, course.steepest * (1 + method.momentum) / curvature);
}

/// Steps times step size, momentum counted in.
double travel_of(double size, const WhitenedDpgd& method, const Layout& layout) {
  return static_cast<double>(layout.shape.steps()) * size / (1 - method.momentum);
}

/// A slope is clipped as if its row had the declared norm.
double slope_clip(const Layout& layout, const PlanInput& input) {
  return std::min(1.0, layout.shape.clip / stored_norm(input.facts));
}

/// Whether scores are to become probabilities, and what is known of margins holds for them.
bool has_link(const PlanInput& input) {
  return has_logistic_slope(input.problem.loss) && outputs_of(input.problem.loss, input.facts.classes) == 1;
}

/// Weights of images, and of the features themselves. What is released is the last of them or a mean.
struct WeightPair {
  Vector images, own;

  void add(const WeightPair& other) {
    kernels::axpy(1, other.images.data(), images.data(), images.size());
    kernels::axpy(1, other.own.data(), own.data(), own.size());
  }
  void divide(double by) {
    kernels::scale(1 / by, images.data(), images.size());
    kernels::scale(1 / by, own.data(), own.size());
  }
};

}  // namespace

double whitening_noise(const WhitenedDpgd& method, const PlanInput& input) {
  refuse_unfit(method, input);
  const RowCount rows = row_count(input, method.declared_rows);
  const double norm = input.facts.data_norm;
  return deviation(moments_noise(method, input, least_capacity(rows)).mechanism) *
         std::sqrt(2.0 * input.facts.features) / (static_cast<double>(rows.nominal) * norm * norm);
}

Plan WhitenedDpgd::plan(const PlanInput& input) const {
  check_input(input);
  const Layout layout = lay_out(*this, input);
  Plan plan;
  plan.method = kName;
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
      "where the released moments show that rows are spread over more than 7 directions, whitening is half done, steps "
      "are at most 10 (1 + momentum)/beta and the mean of the last 0.3 of them is the model");
  plan.remarks.push_back(
      fmt::format("second moments of the rows first: noise of standard deviation {:.3g} an entry, {} of mu^2",
                  deviation(layout.moments.mechanism), number_text(share)));
  if (has_link(input)) {
    plan.remarks.emplace_back(
        "probabilities are the sigmoid of the score times a number that the model states as its link; it is made of "
        "what is released and costs nothing");
  }
  state_capacity(plan, input, layout.shape.capacity);
  return plan;
}

Vector WhitenedDpgd::run(const Run& run) const {
  const Layout layout = lay_out(*this, run.input);
  const DpgdShape& shape = layout.shape;
  SecondMoments moments(run.input.facts);
  sum_rows(run.engine, moments);
  const Spectrum spectrum =
      spectrum_of(run.curator.release(moments.take(), layout.moments.mechanism), layout, run.input.facts.features);
  const Course& course = spectrum.directions() > kManyDirections ? kSpread : kNarrow;
  const Whitening whitening = whitening_of(spectrum, course.half, layout, run.input);
  const WhitenedRows images(run.engine, whitening);
  WhitenedGradient sum(run.input.problem.loss, run.input.facts, shape.clip, whitening);
  const double lambda = run.input.problem.lambda, divisor = static_cast<double>(shape.batch_rows);
  const double size = step_of(course, *this, layout, run.input), steps = static_cast<double>(shape.steps());
  Vector velocity(shape.weights, 0.0);
  WeightPair at{velocity, velocity}, last = at;
  double averaged = 0;
  for (std::uint64_t step = 0; step < shape.steps(); ++step) {
    sum.start(at.own);
    sum_rows(images, sum);
    const Vector noised = run.curator.release(sum.take(), dpgd_noise_at(at.images, layout.steps, shape, run.input));
    for (std::size_t i = 0; i < velocity.size(); ++i) {
      velocity[i] = momentum * velocity[i] + (noised[i] / divisor + lambda * at.images[i]);
      at.images[i] -= size * velocity[i];
    }
    at.own = whitening.transposed_times(at.images);
    if (static_cast<double>(step) >= steps * (1 - course.averaged)) {
      last.add(at);
      averaged += 1;
    }
    run.progress(static_cast<double>(step + 1) / static_cast<double>(shape.steps()));
  }
  if (averaged > 0) {
    last.divide(averaged);
    at = std::move(last);
  }
  if (run.link != nullptr && has_link(run.input)) {
    *run.link = whitened_link({spectrum.eigen, deviation(layout.moments.mechanism), static_cast<double>(shape.rows),
                               run.input.facts.data_norm, whitening, at.images, slope_clip(layout, run.input),
                               travel_of(size, *this, layout)});
  }
  return at.own;
}

}  // namespace sotto
