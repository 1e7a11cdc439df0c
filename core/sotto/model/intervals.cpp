// What: covariance of released logistic weights from noised second moments, and intervals from it.
// Formula: with G = H + kappa I the weights are off by -G^-1 (sum of gradients + v) + z, so the covariance is
//   G^-1 (J + s_v^2 I) G^-1 + s_z^2 I. Noised eigenvalues of H at or below the edge t = s_H (sqrt(2d) + 1) of the noise
//   count as 0, others become (l + sqrt(l^2 - t^2))/2; J is cut to its positive part and s_J I is added.
//   A density proportional to exp(-|x|/b) in d dimensions is N(0, W b^2 I), W ~ Gamma((d + 1)/2, 2): a half-width q
//   solves E_W[erf(q / sqrt(2 (sampling + noise W/(d + 1))))] = level.
// Conditions: rows are independent draws, first-order; the target is the minimiser of the regularised population risk.
// Reference: [White82] for the sandwich; docs/notes/intervals.md.
// Fails if wrong: Intervals.* (coverage by simulation, quantiles against independent values)
#include "sotto/model/intervals.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/linalg/symmetric_eigen.h"
#include "sotto/optim/score_moments.h"

namespace sotto {
namespace {

constexpr int kNodes = 256;
constexpr int kHalvings = 40;

/// 1/(eigenvalue + kappa), the eigenvalue freed of the noise's part of it or taken as 0.
Vector inverse_curvature(const Vector& noised, const IntervalPlan& plan, double stddev) {
  const std::size_t order = static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(noised.size()))));
  const SymmetricEigen eigen = symmetric_eigen(noised, order);
  const double edge = stddev * (std::sqrt(2.0 * static_cast<double>(order)) + 1);
  Vector inverse(order);
  for (std::size_t i = 0; i < order; ++i) {
    const double value = eigen.values[i];
    const double kept = value > edge ? (value + std::sqrt(value * value - edge * edge)) / 2 : 0.0;
    inverse[i] = 1 / (kept + plan.curvature);
  }
  return recombine(eigen, inverse);
}

Vector positive_scores(const Vector& noised, std::size_t order, double stddev) {
  const SymmetricEigen eigen = symmetric_eigen(noised, order);
  Vector values = eigen.values;
  for (double& value : values) value = std::max(value, 0.0) + stddev;
  return recombine(eigen, values);
}

void add_to_diagonal(Vector& matrix, std::size_t order, double amount) {
  for (std::size_t i = 0; i < order; ++i) matrix[i * order + i] += amount;
}

/// a b a for symmetric matrices, symmetric to the last bit.
Vector sandwich(const Vector& a, const Vector& b, std::size_t order) {
  Vector product = multiply(multiply(a, b, order), a, order);
  for (std::size_t i = 0; i < order; ++i) {
    for (std::size_t k = 0; k < i; ++k) product[k * order + i] = product[i * order + k];
  }
  return product;
}

}  // namespace

WeightUncertainty weight_uncertainty(const Vector& moments, const IntervalPlan& plan, std::uint32_t features) {
  const MomentPair pair = unpack_moments(moments, features);
  const double stddev = std::visit([](const auto& m) { return m.stddev(); }, plan.moments.mechanism);
  const Vector inverse = inverse_curvature(pair.curvature, plan, stddev / ScoreMoments::kCurvatureScale);
  const Vector scores = positive_scores(pair.scores, features, stddev);
  WeightUncertainty result;
  result.features = features;
  result.laplace_dimension = plan.laplace ? features : 0;
  result.sampling = sandwich(inverse, scores, features);
  if (plan.objective_stddev > 0) {
    Vector term(std::size_t{features} * features, 0.0);
    add_to_diagonal(term, features, plan.objective_stddev * plan.objective_stddev);
    result.noise = sandwich(inverse, term, features);
    // Small beside the rest; where it is no normal noise it is counted as one.
    add_to_diagonal(result.sampling, features, plan.release_stddev * plan.release_stddev);
  } else {
    result.noise.assign(std::size_t{features} * features, 0.0);
    add_to_diagonal(result.noise, features, plan.release_stddev * plan.release_stddev);
  }
  return result;
}

IntervalMaker::IntervalMaker(const WeightUncertainty& uncertainty, double level)
    : uncertainty_(uncertainty), level_(level), mixture_{1.0}, chances_{1.0} {
  require(level > 0 && level < 1, "intervals", "got " + number_text(level) + ", the level must lie between 0 and 1");
  if (uncertainty.laplace_dimension == 0) return;
  // Gamma(shape, 1) over its mean, by the midpoint rule.
  const double shape = (uncertainty.laplace_dimension + 1.0) / 2;
  const double spread = 8 * std::sqrt(shape) + 12;
  const double low = std::max(0.0, shape - spread), step = (shape + spread - low) / kNodes;
  mixture_.assign(kNodes, 0.0);
  chances_.assign(kNodes, 0.0);
  double total = 0;
  for (std::size_t i = 0; i < kNodes; ++i) {
    const double at = low + (static_cast<double>(i) + 0.5) * step;
    mixture_[i] = at / shape;
    chances_[i] = std::exp((shape - 1) * std::log(at / shape) - (at - shape));
    total += chances_[i];
  }
  for (double& chance : chances_) chance /= total;
}

double IntervalMaker::half_width(double sampling, double noise) const {
  const auto covered = [&](double width) {
    double sum = 0;
    for (std::size_t i = 0; i < mixture_.size(); ++i) {
      sum += chances_[i] * std::erf(width / std::sqrt(2 * (sampling + noise * mixture_[i])));
    }
    return sum;
  };
  double low = 0, high = std::sqrt(sampling + noise);
  if (!(high > 0)) return 0;
  while (covered(high) < level_ && std::isfinite(high)) high *= 2;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (covered(middle) < level_ ? low : high) = middle;
  }
  return high;
}

Interval IntervalMaker::coefficient(std::size_t feature, double estimate) const {
  const std::size_t at = feature * uncertainty_.features + feature;
  const double half = half_width(uncertainty_.sampling[at], uncertainty_.noise[at]);
  return {estimate - half, estimate + half};
}

Interval IntervalMaker::margin(std::span<const std::uint32_t> columns, std::span<const float> values,
                               double estimate) const {
  double sampling = 0, noise = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const std::size_t at = std::size_t{columns[i]} * uncertainty_.features + columns[k];
      const double product = static_cast<double>(values[i]) * values[k];
      sampling += product * uncertainty_.sampling[at];
      noise += product * uncertainty_.noise[at];
    }
  }
  const double half = half_width(std::max(0.0, sampling), std::max(0.0, noise));
  return {estimate - half, estimate + half};
}

Interval probability_interval(const Interval& margin, const Link& link) noexcept {
  return {1 / (1 + std::exp(-link.log_odds(margin.lower))), 1 / (1 + std::exp(-link.log_odds(margin.upper)))};
}

}  // namespace sotto
