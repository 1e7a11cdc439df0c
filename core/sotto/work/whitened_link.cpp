// What: the link of a whitened descent, from its released moments and weights.
// Formula: released values v_i with noise of standard deviation s: x_i = max(0, v_i - s^2 sum_j d_ij/(d_ij^2 + 2 s^2)),
//   d_ij = v_i - v_j; E|T x|^2 = sum_i x_i |T q_i|^2/m; f = min(1, X/sqrt(E|T x|^2)); v^2 = f^2 sum_i x_i (q_i.w)^2/m.
//   k the stationary slope of margins of deviation v, h = (v/|u|)^2 times their mean curvature;
//   scale = min(1, 0.9 f k/(1 - exp(-h travel))).
// Conditions: the logistic loss, one output. Post-processing of what was released.
// Reference: docs/notes/link.md; [Bun16b] for the x_i.
// Fails if wrong: WhitenedLink.*; bench/calibration for the choice itself.
#include "sotto/work/whitened_link.h"

#include <algorithm>
#include <cmath>

#include "sotto/linalg/kernels.h"

namespace sotto {
namespace {

/// Too sure is worse than not sure enough, and noise in the weights makes scores longer than they should be.
constexpr double kCaution = 0.9;

double squared_norm(const Vector& v) noexcept {
  const double norm = kernels::norm(v.data(), v.size());
  return norm * norm;
}

/// Mean squares over the rows, of the length of images before they are scaled and of scores.
struct MeanSquares {
  double image = 0;
  double score = 0;
};

MeanSquares mean_squares(const WhitenedFit& fit) {
  const std::size_t order = fit.moments.order;
  const Vector values = moments_without_noise(fit.moments, fit.moments_noise);
  const Vector weights = fit.whitening.transposed_times(fit.image_weights);
  MeanSquares mean;
  for (std::size_t i = 0; i < order; ++i) {
    const double* vector = fit.moments.vectors.data() + i * order;
    const double along = kernels::dot(vector, weights.data(), order);
    mean.image += values[i] * squared_norm(fit.whitening.times(Vector(vector, vector + order))) / fit.rows;
    mean.score += values[i] * along * along / fit.rows;
  }
  return mean;
}

}  // namespace

Vector moments_without_noise(const SymmetricEigen& moments, double noise) {
  Vector values(moments.order);
  for (std::size_t i = 0; i < moments.order; ++i) {
    double pushed = 0;  // away from the other values, by the noise
    for (const double other : moments.values) {
      const double apart = moments.values[i] - other;
      if (apart != 0) pushed += apart / (apart * apart + 2 * noise * noise);
    }
    values[i] = std::max(0.0, moments.values[i] - noise * noise * pushed);
  }
  return values;
}

Link whitened_link(const WhitenedFit& fit) {
  const MeanSquares mean = mean_squares(fit);
  const double length = squared_norm(fit.image_weights);
  const double factor = std::min(1.0, fit.data_norm / std::sqrt(mean.image));
  const FittedMargins margins{factor * std::sqrt(mean.score), fit.slope_clip};
  if (!(margins.deviation > 0 && std::isfinite(margins.deviation) && length > 0 && factor > 0)) return {};
  const double slope = stationary_slope(margins);
  const double pace = margins.deviation * margins.deviation / length * mean_curvature(margins, slope);
  const double scale = kCaution * factor * slope / -std::expm1(-pace * fit.travel);
  if (!(scale > 0)) return {};
  return {std::min(1.0, scale)};
}

}  // namespace sotto
