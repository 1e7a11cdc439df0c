#pragma once
#include <cstddef>
#include <cstdint>

#include "sotto/privacy/budget.h"
#include "sotto/privacy/mechanism.h"

namespace sotto {

/// Gaussian noise on `draws` vectors that together are *one* event: the vectors of one long release, or the steps of a
/// run of which only the end leaves. `noise.mu` is what the whole sequence costs; `noise.scale()` is the standard
/// deviation of every coordinate of every vector, and they differ by the sensitivity of the sequence, which whoever
/// makes the shape has to prove.
struct JointGaussian {
  GaussianNoise noise{};
  std::uint64_t draws = 0;
  Event event() const { return noise.event(); }
};

/// The sensitivity of a sequence of vectors on a grid of step g is sensitivity + grid_factor * g sqrt(dimension).
struct JointShape {
  double sensitivity = 0;
  double grid_factor = 1;
  std::size_t dimension = 0;
  std::uint64_t draws = 1;
};

/// Noise calibrated so that the sequence as a whole fits the budget (delta above 0), and what it then promises. Where
/// epsilon is so large that the numerical distance of the noise would not fit delta, a smaller epsilon is kept.
struct JointCalibrated {
  PlannedNoise planned{};
  std::uint64_t draws = 0;
  JointGaussian law() const { return {std::get<GaussianNoise>(planned.mechanism), draws}; }
  Charge charge() const { return {law().event(), 1, 1}; }
};
JointCalibrated calibrate_joint(const JointShape& shape, const Budget& budget);

/// The largest epsilon up to `budget.epsilon` at which `distance` in total variation costs at most half of delta, and
/// the delta it costs there. Throws Error{invalid_argument} if there is none.
struct NumericalCost {
  double epsilon = 0;
  double delta = 0;
  double distance = 0;  ///< as given, rounded up
};
NumericalCost numerical_cost(double distance, const Budget& budget);

}  // namespace sotto
