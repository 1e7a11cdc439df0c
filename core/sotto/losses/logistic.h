#pragma once
#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>

#include "sotto/linalg/exp.h"
#include "sotto/linalg/kernels.h"
#include "sotto/losses/constants.h"
#include "sotto/losses/diameter.h"
#include "sotto/losses/traits.h"

namespace sotto {

struct RobustLogistic;

/// Logistic loss phi(m) = log(1 + exp(-m)), slope -1/(1 + exp(m)), curvature at most 1/4.
/// Cross-entropy on {0,1} labels is the same function of the margin: with p = sigmoid(w.x),
/// -[y log p + (1-y) log(1-p)] = phi((2y-1) w.x) [Wessels18].
/// Fails if wrong: LossLaws (slope against differences, constants), Logistic.CrossEntropyIsTheSameLoss.
struct Logistic {
  static constexpr std::string_view kName = "logistic";
  static constexpr std::array<std::string_view, 1> kAliases = {"cross_entropy"};
  static constexpr std::string_view kSummary = "log(1 + exp(-margin)); also called cross_entropy";
  static constexpr auto fields() { return std::tuple{}; }

  static constexpr Probabilities kProbabilities = Probabilities::sigmoid;
  static constexpr bool kLogisticSlope = true;
  static constexpr bool kTwiceDifferentiable = true;
  static constexpr bool kStraightBelowZero = false;
  using Straightened = RobustLogistic;
  using Smoothed = Logistic;

  double value(double margin) const noexcept { return kernels::logistic_value(margin); }
  double slope(double margin) const noexcept { return kernels::logistic_slope(margin); }
  /// The values and slopes of a block of margins: the same bits as value() and slope(), several at a time.
  void values(const double* margins, std::size_t count, double* out) const noexcept {
    kernels::logistic_values(margins, count, out);
  }
  void slopes(const double* margins, std::size_t count, double* out) const noexcept {
    kernels::logistic_slopes(margins, count, out);
  }
  LossConstants constants(double data_norm) const { return margin_loss_constants(data_norm, 0.25); }
  GradientReach gradient_at(const WeightReach& weights) const { return logistic_gradient_at(weights); }
  void check() const {}
};

}  // namespace sotto
