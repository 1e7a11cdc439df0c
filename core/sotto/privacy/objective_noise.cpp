// What: calibration of objective perturbation.
// Formula: the largest mu with sum_i N_i delta_G(sqrt(mu_i^2 + mu_o^2); x) + delta_G(mu_o; x) <= delta - delta_num,
//   x = epsilon - c, mu_i = mu norm_i/norm_1, mu_o = mu/30, v ~ N(0, (norm_1/mu)^2 I); pure: epsilon = e' + c + e_o,
//   e_o = (epsilon - c)/500, density of v proportional to exp(-e'|v|/norm_1). Release: noise for 2 tau/kappa.
// Conditions: those of spec 7.7. v lies on a grid 2^-44 of its size; the distance to the ideal v is part of tau.
// Reference: spec 7.7; docs/notes/objective.md.
// Fails if wrong: ObjectivePlans.* (independent values), ObjectiveLoss.* (exact losses), ObjectiveGame.*
#include "sotto/privacy/objective_noise.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/privacy/accountant/objective.h"
#include "sotto/random/grid_noise.h"

namespace sotto {
namespace {

constexpr double kUp = 1 + 0x1p-50;
constexpr double kDown = 1 - 0x1p-50;
constexpr double kReleaseShift = 1.0 / 30;  // adds 0.06 percent to the shift
constexpr double kReleaseShare = 1.0 / 500;
constexpr double kMaxPureDelta = 1e-9;
constexpr double kTail = 0x1p-70;
constexpr double kLogTail = 48.6;  // -ln kTail, rounded up
constexpr double kGridSteps = 0x1p44;

double law_distance(std::size_t dimension) { return (2 * grid_noise_distance(dimension) + kTail) * kUp; }

/// A power of two of which the standard deviation of a coordinate has about kGridSteps.
double fine_step(double stddev) { return std::exp2(std::floor(std::log2(stddev)) + 1) / kGridSteps; }

template <class Noise>
Noise noise_of(double sensitivity, std::size_t dimension) {
  Noise noise;
  noise.sensitivity = sensitivity;
  noise.dimension = dimension;
  noise.grid.sensitivity = sensitivity;  // rounding to the grid is part of the tolerance, not of the sensitivity
  return noise;
}

double strength_of(const Mechanism& mechanism) {
  if (const auto* gaussian = std::get_if<GaussianNoise>(&mechanism)) return gaussian->mu;
  return std::get<L2LaplaceNoise>(mechanism).epsilon;
}

ObjectiveNoise make_noise(const ObjectiveShape& shape, double epsilon, bool gaussian, double strength) {
  ObjectiveNoise noise;
  noise.shape = shape;
  noise.epsilon = epsilon;
  const double largest = shape.corners.front().norm;
  if (gaussian) {
    auto v = noise_of<GaussianNoise>(largest, shape.dimension);
    v.mu = strength;
    v.grid.step = fine_step(v.stddev());
    noise.on_objective = v;
  } else {
    auto v = noise_of<L2LaplaceNoise>(largest, shape.dimension);
    v.epsilon = strength;
    v.grid.step = fine_step(v.stddev());
    noise.on_objective = v;
  }
  return noise;
}

/// Keeps the strength of the release until its sensitivity is known.
ObjectiveNoise with_release(ObjectiveNoise noise, double release_strength) {
  if (std::holds_alternative<GaussianNoise>(noise.on_objective)) {
    GaussianNoise w;
    w.mu = release_strength;
    noise.on_release = w;
  } else {
    L2LaplaceNoise w;
    w.epsilon = release_strength;
    noise.on_release = w;
  }
  return noise;
}

ObjectiveNoise gaussian_noise(const ObjectiveShape& shape, double epsilon, double mu) {
  return with_release(make_noise(shape, epsilon, true, mu), mu * kReleaseShift * kDown);
}

/// A point with excess <= 0 within 1e-10 of where the increasing function changes sign, by regula falsi (Illinois).
double last_below(const std::function<double(double)>& excess, double start) {
  constexpr double kMin = -30, kMax = 6.8;
  double low = start, high = start, at_low = excess(start), at_high = at_low;
  while (at_low > 0 && low > kMin) at_low = excess(low -= 0.5);
  require(at_low <= 0, "delta", "too small for objective perturbation at this epsilon and dimension");
  while (at_high <= 0 && high < kMax) at_high = excess(high += 0.5);
  while (at_high > 0 && high - low > 1e-10) {
    const double share = std::clamp(at_low / (at_low - at_high), 1e-3, 1 - 1e-3);
    const double middle = low + (high - low) * share;
    const double there = excess(middle);
    if (there <= 0) {
      low = middle, at_low = there, at_high /= 2;
    } else {
      high = middle, at_high = there, at_low /= 2;
    }
  }
  return low;
}

double guess_of(const ObjectiveShape& shape, double epsilon, const Budget& budget) {
  const double x = epsilon - shape.log_determinant;
  const double tail = std::sqrt(-2 * std::log(budget.delta));
  return std::sqrt(tail * tail + 2 * x) - tail;
}

void refuse_small_epsilon(const ObjectiveShape& shape, double epsilon) {
  if (epsilon > shape.log_determinant * kUp) return;
  throw Error(ErrorKind::unsupported,
              "lambda: epsilon " + number_text(epsilon) + " must exceed " + number_text(shape.log_determinant) +
                  ", what the curvature of one row costs at this lambda; raise lambda or epsilon",
              "lambda");
}

}  // namespace

Event ObjectiveNoise::event() const {
  const double strength = strength_of(on_objective), release = strength_of(on_release);
  if (std::holds_alternative<L2LaplaceNoise>(on_objective)) {
    return PureEvent{(strength + shape.log_determinant + release) * kUp};
  }
  ObjectiveEvent event{epsilon, shape.log_determinant, release, {}};
  for (const ObjectiveShape::Corner& corner : shape.corners) {
    event.shifts.push_back({strength * (corner.norm / shape.corners.front().norm) * kUp, corner.count});
  }
  return event;
}

double ObjectiveNoise::rounding() const noexcept {
  const NoiseBase& base = base_of(on_objective);
  return 0.501 * base.grid.step * std::sqrt(static_cast<double>(base.dimension));
}

double ObjectiveNoise::norm_bound() const noexcept {
  const double d = static_cast<double>(shape.dimension);
  if (const auto* v = std::get_if<GaussianNoise>(&on_objective)) {
    return v->scale() * (std::sqrt(d) + std::sqrt(2 * kLogTail)) * kUp + rounding();
  }
  return std::get<L2LaplaceNoise>(on_objective).scale() * (d + std::sqrt(2 * d * kLogTail) + kLogTail) * kUp +
         rounding();
}

double ObjectiveNoise::release_share() const noexcept { return strength_of(on_release) / strength_of(on_objective); }

double ObjectiveNoise::distance() const noexcept { return law_distance(shape.dimension); }

double ObjectiveNoise::delta_num() const noexcept { return (1 + std::exp(epsilon)) * distance() * kUp; }

double ObjectiveNoise::delta() const {
  const Event cost = event();
  if (const auto* pure = std::get_if<PureEvent>(&cost)) return pure->epsilon <= epsilon * kUp * kUp ? delta_num() : 1.0;
  return objective_delta(std::get<ObjectiveEvent>(cost), epsilon) + delta_num();
}

double objective_epsilon(const ObjectiveShape& shape, const Budget& budget) {
  budget.check();
  const double most = budget.delta > 0 ? budget.delta / 4 : kMaxPureDelta;
  return std::min(budget.epsilon, std::log(std::max(1.0, most / law_distance(shape.dimension) - 1)) * (1 - 1e-12));
}

ObjectiveNoise calibrate_objective(const ObjectiveShape& shape, const Budget& budget) {
  const double epsilon = objective_epsilon(shape, budget);
  refuse_small_epsilon(shape, epsilon);
  if (budget.delta == 0) {
    const double rest = (epsilon - shape.log_determinant) * (1 - 1e-13);
    return with_release(make_noise(shape, epsilon, false, rest * (1 - kReleaseShare)), rest * kReleaseShare);
  }
  const auto excess = [&](double log_mu) {
    const double delta = gaussian_noise(shape, epsilon, std::exp(log_mu)).delta();
    const double log_ratio = std::log(delta / budget.delta);
    return delta <= budget.delta ? log_ratio : std::max(log_ratio, 1e-18);  // a ratio may round to 1
  };
  const double log_mu = last_below(excess, std::log(guess_of(shape, epsilon, budget)));
  return gaussian_noise(shape, epsilon, std::exp(log_mu));
}

ObjectiveNoise objective_noise(const ObjectiveShape& shape, const Budget& budget, double strength,
                               double release_strength) {
  const double epsilon = objective_epsilon(shape, budget);
  refuse_small_epsilon(shape, epsilon);
  ObjectiveNoise noise = with_release(make_noise(shape, epsilon, budget.delta > 0, strength), release_strength);
  if (!(noise.delta() <= std::max(budget.delta, noise.delta_num()))) {
    throw Error(ErrorKind::unsupported, "epsilon: the noise as published does not give this guarantee", "epsilon");
  }
  return noise;
}

ObjectiveNoise with_tolerance(ObjectiveNoise noise, double tolerance) {
  noise.tolerance = tolerance;
  const double apart = 2 * tolerance / noise.shape.curvature * kUp;
  std::visit(
      [&](auto& w) {
        w.sensitivity = apart;
        w.dimension = noise.shape.dimension;
        w.grid = make_grid(apart, w.dimension);
        // Noise that was itself rounded would show the value's low bits.
        require(w.stddev() / w.grid.step <= kMaxStddev, "epsilon",
                "the noise would be too large for its grid; raise epsilon or delta");
      },
      noise.on_release);
  return noise;
}

}  // namespace sotto
