#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "sotto/linalg/vector.h"
#include "sotto/losses/link.h"
#include "sotto/work/interval_plan.h"

/// Confidence intervals that count sampling and privacy noise. Everything here is post-processing of released numbers.
namespace sotto {

/// The law of released weights around the minimiser of the regularised population risk, to first order: a normal vector
/// plus an independent privacy noise. Matrices are full and symmetric, features x features, row by row.
struct WeightUncertainty {
  std::uint32_t features = 0;
  Vector sampling;  ///< covariance of the normal part
  Vector noise;     ///< covariance of the privacy noise
  /// The noise is a linear map of one with density proportional to exp(-|x|/scale) in so many dimensions; 0: Gaussian.
  std::uint32_t laplace_dimension = 0;
  bool operator==(const WeightUncertainty&) const = default;
};

/// `moments` as released under `plan` (optim/score_moments.h).
WeightUncertainty weight_uncertainty(const Vector& moments, const IntervalPlan& plan, std::uint32_t features);

struct Interval {
  double lower = 0;
  double upper = 0;
};

/// Intervals at one level for linear functions of the weights.
class IntervalMaker {
 public:
  /// `uncertainty` must stay. Throws Error{invalid_argument} unless 0 < level < 1.
  IntervalMaker(const WeightUncertainty& uncertainty, double level);

  /// Of weight number `feature`, of which `estimate` was released.
  Interval coefficient(std::size_t feature, double estimate) const;
  /// Of the margin w.x of a row given by its non-zero entries.
  Interval margin(std::span<const std::uint32_t> columns, std::span<const float> values, double estimate) const;

 private:
  double half_width(double sampling, double noise) const;

  const WeightUncertainty& uncertainty_;
  double level_;
  Vector mixture_;  // variances of the Gaussian laws the noise is a mixture of, their mean 1
  Vector chances_;
};

/// The interval of the probability of class +1, of a margin's.
Interval probability_interval(const Interval& margin, const Link& link = {}) noexcept;

}  // namespace sotto
