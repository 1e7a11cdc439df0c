#pragma once
#include "sotto/data/facts.h"
#include "sotto/optim/recipe.h"

namespace sotto {

/// What rounding adds to the distance of two runs of permutation SGD, for the arithmetic the recipe names (spec 5.4).
/// With u = 2^-53 and W a bound on every iterate, one computed step is off by at most
///   e(eta) = u (c_0(eta) W + eta (c_1 beta s W + (b + c_2) L)), and more where a projection acts.
class StepRounding {
 public:
  StepRounding(const Recipe& recipe, const Facts& facts);

  /// e(eta) for iterates of norm at most `weight_bound`.
  double of(double eta, double weight_bound) const noexcept;
  /// e(eta) = growth(eta) W + length(eta).
  double growth(double eta) const noexcept;
  double length(double eta) const noexcept;
  /// What one iterate adds when it enters an average, and what the end of the run adds.
  double of_average(double weight_bound) const noexcept;
  double of_finish(double weight_bound) const noexcept;

 private:
  double of_weights(double eta) const noexcept;

  const Recipe& recipe_;
  bool sparse_;
  double depth_;        // roundings of a margin, s of spec 5.4
  double smoothness_;   // beta
  double of_gradient_;  // (b + c_2) L and what several outputs add
  double projection_;   // of one projection, in units of 2^-53
};

}  // namespace sotto
