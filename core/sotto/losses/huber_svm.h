#pragma once
#include <algorithm>
#include <string_view>
#include <tuple>

#include "sotto/base/catalog.h"
#include "sotto/losses/constants.h"
#include "sotto/losses/traits.h"

namespace sotto {

/// Huber SVM [Wu17, section 4.1]: hinge with its corner replaced by a parabola of half-width h around margin 1:
/// phi(m) = 0 for m > 1 + h;  (1 + h - m)^2 / (4h) for |1 - m| <= h;  1 - m below. Curvature at most 1/(2h).
/// Fails if wrong: LossLaws.
struct HuberSvm {
  static constexpr std::string_view kName = "huber_svm";
  static constexpr std::string_view kSummary = "hinge smoothed over a half-width huber_width around margin 1";
  double huber_width = 0.1;
  static constexpr auto fields() {
    return std::tuple{field("huber_width", &HuberSvm::huber_width, "half-width h of the smoothed corner, above 0")};
  }

  static constexpr Probabilities kProbabilities = Probabilities::none;
  static constexpr bool kLogisticSlope = false;
  static constexpr bool kTwiceDifferentiable = false;
  static constexpr bool kStraightBelowZero = true;
  using Straightened = HuberSvm;
  using Smoothed = HuberSvm;

  double value(double margin) const noexcept {
    if (margin > 1 + huber_width) return 0;
    if (margin < 1 - huber_width) return 1 - margin;
    const double gap = 1 + huber_width - margin;
    return gap * gap / (4 * huber_width);
  }
  double slope(double margin) const noexcept {
    if (margin > 1 + huber_width) return 0;
    // Never steeper than 1, which rounding could make it by u/h.
    if (margin >= 1 - huber_width) return std::max(-1.0, -(1 + huber_width - margin) / (2 * huber_width));
    return -1;
  }
  LossConstants constants(double data_norm) const { return margin_loss_constants(data_norm, 1 / (2 * huber_width)); }
  GradientReach gradient_at(const WeightReach&) const { return {}; }
  void check() const {
    require(huber_width > 1e-6 && huber_width <= 1e6, "huber_width", "must lie between 1e-6 and 1e6");
  }
};

}  // namespace sotto
