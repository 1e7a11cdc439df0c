#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

/// What a loss is asked besides its values and slopes. loss.h requires every answer, so that a loss that forgets one
/// does not compile. The answers stand beside each loss; LossTraits.* checks them against its slopes.
///   kProbabilities         how its scores become probabilities
///   kLogisticSlope         its slope is -1/(1 + exp(margin)), for which intervals and links are derived
///   kTwiceDifferentiable   as the theorem of cms11 demands
///   kStraightBelowZero     a straight line where the margin is negative (far below zero, where a parameter says how far)
///   Straightened           the loss that takes its place where noise is large; itself where there is none
///   Smoothed               the loss that takes its place where a gradient is needed; itself where it is smooth
///   gradient_at()          smaller bounds on its gradients at weights of a known norm
///   row_curvature()            of a loss of class scores; that of a loss of the margin follows from its smoothness
namespace sotto {

/// none; the sigmoid of the margin; the share of exp(score) among all classes.
enum class Probabilities { none, sigmoid, shares };
constexpr auto enum_names(Probabilities) {
  return std::array{std::pair{std::string_view("none"), Probabilities::none},
                    std::pair{std::string_view("sigmoid"), Probabilities::sigmoid},
                    std::pair{std::string_view("shares"), Probabilities::shares}};
}

/// Rows and weights of bounded norm.
struct WeightReach {
  double data_norm = 0;
  std::uint32_t classes = 2;
  double reach = 0;  ///< bound on the norm of the weights, times data_norm
};

/// Bounds on the data gradients of rows at such weights. Infinite: no better one is known than that of any weights.
struct GradientReach {
  double longest = std::numeric_limits<double>::infinity();  ///< norm of one
  double apart = std::numeric_limits<double>::infinity();    ///< distance of two
};

/// What objective perturbation needs of one row's loss (spec 7.7).
struct RowCurvature {
  double corners = 1;  ///< of the hull of its gradients, besides 0; its Hessian has at most this rank
  double mean = 0;     ///< bound on the trace of its Hessian over that rank
  double trace = 0;    ///< bound on the trace
};

}  // namespace sotto
