#pragma once
#include <limits>
#include <string_view>
#include <tuple>

#include "sotto/losses/constants.h"
#include "sotto/losses/traits.h"

namespace sotto {

struct HuberSvm;

/// Hinge loss phi(m) = max(0, 1 - m). Not smooth: no step contracts, so only methods whose proof needs no smoothness
/// take it (spec 2.1). Fails if wrong: LossLaws.
struct Hinge {
  static constexpr std::string_view kName = "hinge";
  static constexpr std::string_view kSummary =
      "max(0, 1 - margin); not smooth, so only for methods that need no smoothness";
  static constexpr auto fields() { return std::tuple{}; }

  static constexpr Probabilities kProbabilities = Probabilities::none;
  static constexpr bool kLogisticSlope = false;
  static constexpr bool kTwiceDifferentiable = false;
  static constexpr bool kStraightBelowZero = true;
  using Straightened = Hinge;
  using Smoothed = HuberSvm;

  double value(double margin) const noexcept { return margin < 1 ? 1 - margin : 0; }
  double slope(double margin) const noexcept { return margin < 1 ? -1 : 0; }
  LossConstants constants(double data_norm) const {
    return {data_norm, 2 * data_norm, data_norm, std::numeric_limits<double>::infinity()};
  }
  GradientReach gradient_at(const WeightReach&) const { return {}; }
  void check() const {}
};

}  // namespace sotto
