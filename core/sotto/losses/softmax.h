#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "sotto/linalg/exp.h"
#include "sotto/linalg/kernels.h"
#include "sotto/losses/constants.h"
#include "sotto/losses/diameter.h"
#include "sotto/losses/traits.h"

namespace sotto {

/// Softmax cross-entropy: with scores z_k = w_k.x and p_k = exp(z_k) / sum_j exp(z_j), the loss of class c is -log p_c.
/// Its gradient over all weight vectors is (p - e_c) x', of norm at most sqrt2 X; its Hessian is (diag p - pp') (x)
/// xx', at most X^2/2 (spec 2.1). Fails if wrong: LossLaws, Softmax.*.
struct Softmax {
  static constexpr std::string_view kName = "softmax";
  static constexpr std::string_view kSummary = "-log of the class's share of exp(scores); one weight vector a class";
  static constexpr auto fields() { return std::tuple{}; }

  static constexpr Probabilities kProbabilities = Probabilities::shares;
  static constexpr bool kLogisticSlope = false;
  static constexpr bool kTwiceDifferentiable = true;
  static constexpr bool kStraightBelowZero = false;
  using Straightened = Softmax;
  using Smoothed = Softmax;

  double value(const double* scores, std::size_t classes, std::size_t label) const noexcept {
    const double top = *std::max_element(scores, scores + classes);
    double sum = 0;
    for (std::size_t k = 0; k < classes; ++k) sum += kernels::exp_negative(scores[k] - top);
    return kernels::log_from_one(sum) + (top - scores[label]);
  }
  /// slopes[k] = p_k - [k is the label]; `slopes` may be `scores`.
  void slopes(const double* scores, std::size_t classes, std::size_t label, double* slopes) const noexcept {
    const double top = *std::max_element(scores, scores + classes);
    double sum = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      slopes[k] = kernels::exp_negative(scores[k] - top);
      sum += slopes[k];
    }
    // At least 1, of the largest score, unless scores are not numbers.
    for (std::size_t k = 0; k < classes; ++k) slopes[k] /= std::max(sum, 1.0);
    slopes[label] -= 1;
  }
  /// The same for the rows of a block, with the same bits.
  void values(const kernels::ClassScores& block) const noexcept { kernels::softmax_values(block); }
  void slopes(const kernels::ClassScores& block) const noexcept { kernels::softmax_slopes(block); }
  LossConstants constants(double data_norm) const {
    const double root = 1.4142135623730952 * data_norm;  // sqrt 2, rounded up
    return {root, 2 * root, root, 0.5 * data_norm * data_norm};
  }
  GradientReach gradient_at(const WeightReach& weights) const { return softmax_gradient_at(weights); }
  /// Gradients lie in the hull of (e_k - e_c) x'; of the eigenvalues of the Hessian K - 1 are above 0, and they add up
  /// to at most (1 - 1/K) X^2 (docs/notes/objective.md).
  RowCurvature row_curvature(double data_norm, std::uint32_t classes) const {
    const double square = data_norm * data_norm;
    return {classes - 1.0, square / classes, square * (1 - 1.0 / classes)};
  }
  void check() const {}
};

}  // namespace sotto
