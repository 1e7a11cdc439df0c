#pragma once
#include <span>

#include "sotto/privacy/accountant/loss_compose.h"

namespace sotto {

/// At least the Euclidean norm of the weights e^(-tilt y) (1 - e^-y) with which tilted masses at y > 0, a step apart,
/// count in delta: the integral of their squares, B(2 tilt, 3), and the largest of them.
double weight_norm(double tilt, double step, std::size_t points);
/// At least the sum of the same weights: their integral, 1/(tilt (tilt + 1)), and the largest of them.
double weight_sum(double tilt, double step, std::size_t points);

/// The law of a sum of independent losses, from one Fourier transform, with certified bounds on its profile.
class LossSum {
 public:
  LossSum(std::span<const GridTerm> terms, const SumPlan& plan);

  double delta_upper(double epsilon) const;
  double delta_lower(double epsilon) const;
  /// Smallest epsilon >= 0 with delta_upper <= delta; infinite if none. Largest with delta_lower > delta; 0 if none.
  double epsilon_upper(double delta) const;
  double epsilon_lower(double delta) const;
  /// The error bound of the transforms at epsilon, relative to all else that delta_upper adds up.
  double rounding_share(double epsilon) const;

 private:
  double top() const;  ///< of the window
  double outside(const SumHalf& half, double epsilon) const;
  double rounding(const SumHalf& half) const;
  double tilted_delta(const SumHalf& half, double epsilon) const;
  double delta_of(const SumHalf& half, double epsilon, double sign) const;

  SumPlan plan_;
  double step_ = 0;
  double shift_ = 0;  ///< of the grid: the sum of all offsets
  ComposedSums sums_;
};

}  // namespace sotto
