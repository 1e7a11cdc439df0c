#pragma once
#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tuple>

#include "sotto/linalg/exp.h"
#include "sotto/linalg/kernels.h"
#include "sotto/losses/constants.h"
#include "sotto/losses/traits.h"

namespace sotto {

/// Twice the logistic loss where the margin is positive, a straight line where it is not: phi(m) = 2 log(1 + exp(-m))
/// for m >= 0, 2 log 2 - m below; slope max(-1, -2/(1 + exp(m))), curvature at most 1/2. A row pulls
/// hardest at margin 0, where training starts; with the logistic loss it pulls there with half of what noise must
/// cover. Fails if wrong: LossLaws, RobustLogistic.*
struct RobustLogistic {
  static constexpr std::string_view kName = "robust_logistic";
  static constexpr std::string_view kSummary =
      "2 log(1 + exp(-margin)), continued by a straight line where the margin is negative; bears more noise";
  static constexpr auto fields() { return std::tuple{}; }

  static constexpr Probabilities kProbabilities = Probabilities::none;
  static constexpr bool kLogisticSlope = false;
  static constexpr bool kTwiceDifferentiable = false;
  static constexpr bool kStraightBelowZero = true;
  using Straightened = RobustLogistic;
  using Smoothed = RobustLogistic;

  double value(double margin) const noexcept {
    return margin > 0 ? 2 * kernels::log1p_exp_negative(-margin) : 1.3862943611198906 - margin;
  }
  double slope(double margin) const noexcept { return std::max(-1.0, 2 * kernels::logistic_slope(margin)); }
  /// The slopes of a block of margins: the same bits as slope(), several at a time.
  void slopes(const double* margins, std::size_t count, double* out) const noexcept {
    kernels::logistic_slopes(margins, count, out);
    for (std::size_t i = 0; i < count; ++i) out[i] = std::max(-1.0, 2 * out[i]);
  }
  LossConstants constants(double data_norm) const { return margin_loss_constants(data_norm, 0.5); }
  GradientReach gradient_at(const WeightReach&) const { return {}; }
  void check() const {}
};

}  // namespace sotto
