#pragma once
#include <cstdint>
#include <span>

#include "sotto/data/facts.h"
#include "sotto/losses/loss.h"

namespace sotto {

/// What is minimised: J(w) = sum_i l0(w; z_i) + (curvature/2)|w|^2 + linear.w over all rows; no linear term where it is
/// empty.
struct PerturbedSum {
  Loss loss{};
  double curvature = 0;
  std::span<const double> linear{};
};

/// Bounds on J and on the arithmetic with it: functions of public facts and of norms.
class SumBounds {
 public:
  /// Throws Error{unsupported} for a loss that is not smooth.
  SumBounds(const Loss& loss, const Facts& facts, double curvature);

  /// |computed gradient - gradient| at weights and a linear term of these norms.
  double gradient_rounding(double weights_norm, double linear_norm) const noexcept;
  /// The norm of every w with J(w) <= J(0) is at most this; infinite without curvature.
  double radius(double linear_norm) const noexcept;
  /// A tolerance the fallback of the minimiser reaches from any start, rounding included: 5 gradient_rounding(2
  /// radius).
  double reachable(double linear_norm) const noexcept;
  double smoothness() const noexcept { return rows_ * row_smoothness_ + curvature_; }
  /// Bound on J(0) - min J.
  double gap_at_zero(double linear_norm) const noexcept;

 private:
  double rows_;
  double features_;
  double outputs_;
  double row_rounding_;  // of a row's gradient to the grid of the sum
  double curvature_;
  double norm_;  // of a stored row
  double lipschitz_;
  double row_smoothness_;
  double value_at_zero_;
};

}  // namespace sotto
