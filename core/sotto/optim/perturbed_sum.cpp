// What: bounds on a perturbed sum J: rounding of its computed gradient, radius of its sublevel set at 0.
// Formula: u [ m X (q X |w| (d/16 + 8 + 2 sqrt K) + (10 + 4q) sqrt K + K) + 8 m L + 4 (m L + kappa |w| + |v|) ]
//   + m h sqrt(n)/2, u = 2^-53, q = curvature of the loss, h the grid of the rows' gradients, of n numbers each;
//   radius (|v| + sqrt(|v|^2 + 2 kappa m l0(0)))/kappa.
// Conditions: kernels' order of additions (16 lanes and a tree), sums of integers on fine_gradients(), l0 >= 0, m <= 2^40.
// Reference: spec 3.5, 5.4; docs/notes/objective.md.
// Fails if wrong: Minimiser.RoundingStaysBelowItsBound, Minimiser.TheFallbackReachesTheTolerance.
#include "sotto/optim/perturbed_sum.h"

#include <cmath>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/optim/gradient_sum.h"
#include "sotto/optim/recipe.h"

namespace sotto {
namespace {

/// The loss of one row at w = 0, over all outputs.
double value_at_zero(const Loss& loss, std::uint32_t classes) {
  double value = std::log(static_cast<double>(classes));
  with_margin_loss(loss, [&](const auto& l) { value = l.value(0) * outputs_of(loss, classes); });
  return value * (1 + 1e-9);
}

}  // namespace

SumBounds::SumBounds(const Loss& loss, const Facts& facts, double curvature)
    : rows_(static_cast<double>(facts.rows)),
      features_(facts.features),
      outputs_(outputs_of(loss, facts.classes)),
      row_rounding_(row_rounding(fine_gradients(loss, facts), weight_count(loss, facts))),
      curvature_(curvature),
      norm_(stored_norm(facts)),
      value_at_zero_(value_at_zero(loss, facts.classes)) {
  const LossConstants constants = constants_of(loss, norm_, facts.classes);
  if (!constants.smooth()) {
    throw Error(
        ErrorKind::unsupported,
        "loss: has no gradient everywhere, so that its minimiser cannot be certified; use " + smooth_loss_names(),
        "loss");
  }
  lipschitz_ = constants.lipschitz;
  row_smoothness_ = constants.smoothness;
}

double SumBounds::gradient_rounding(double weights_norm, double linear_norm) const noexcept {
  const double curvature = row_smoothness_ / (norm_ * norm_);
  const double root = std::sqrt(outputs_);
  const double slope =
      curvature * norm_ * weights_norm * (features_ / 16 + 8 + 2 * root) + (10 + 4 * curvature) * root + outputs_;
  const double sum = rows_ * (lipschitz_ * 8 + 0x1p53 * row_rounding_);
  const double rest = 4 * (rows_ * lipschitz_ + curvature_ * weights_norm + linear_norm);
  return 1.01 * 0x1p-53 * (rows_ * norm_ * slope + sum + rest);
}

double SumBounds::radius(double linear_norm) const noexcept {
  if (!(curvature_ > 0)) return std::numeric_limits<double>::infinity();
  const double root = std::sqrt(linear_norm * linear_norm + 2 * curvature_ * rows_ * value_at_zero_);
  return (linear_norm + root) / curvature_ * (1 + 1e-9);
}

double SumBounds::reachable(double linear_norm) const noexcept {
  return 5 * gradient_rounding(2 * radius(linear_norm), linear_norm);
}

double SumBounds::gap_at_zero(double linear_norm) const noexcept {
  return rows_ * value_at_zero_ + linear_norm * linear_norm / (2 * curvature_);
}

}  // namespace sotto
