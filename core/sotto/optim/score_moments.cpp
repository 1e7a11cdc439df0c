// What: the Hessian and the second moment of the gradients of a logistic model, as one vector to be noised.
// Formula: a row adds u (x) x x', u = (sqrt8 s (1 - s), s^2). |u|^2 = 8 s^2 (1 - s)^2 + s^4 has the derivative
//   4 s (2 - 3 s)^2 >= 0, so |u| <= 1 on [0, 1] and a row adds a vector of norm at most X^2. Two rows: the inner
//   product (u.u') (x.x')^2 is not negative, so their difference has norm at most sqrt2 X^2.
// Conditions: logistic, two classes, weights public; s is in [0, 1] as computed.
// Reference: docs/notes/intervals.md.
// Fails if wrong: ScoreMoments.* (neighbours within the bound, a pair that attains it, sums against definitions)
#include "sotto/optim/score_moments.h"

#include <algorithm>
#include <cmath>

#include "sotto/linalg/kernels.h"
#include "sotto/losses/logistic.h"

namespace sotto {
namespace {

constexpr double kRoot2 = 1.4142135623730951;

std::size_t triangle(std::size_t features) noexcept { return features * (features + 1) / 2; }

}  // namespace

ScoreMoments::ScoreMoments(const Facts& facts)
    : features_(facts.features), row_(features_, 0.0), sum_(packed_size(features_), 0.0) {}

void ScoreMoments::start(std::span<const double> weights) noexcept {
  weights_ = weights.data();
  clear();
}

void ScoreMoments::consume(const RowBlock& block) noexcept {
  for (std::size_t i = 0; i < block.rows; ++i) {
    if (block.sparse()) {
      std::fill(row_.begin(), row_.end(), 0.0);
      for (std::uint64_t e = block.offsets[i]; e < block.offsets[i + 1]; ++e) row_[block.columns[e]] = block.values[e];
    } else {
      const float* from = block.dense + i * features_;
      std::copy(from, from + features_, row_.begin());
    }
    add(block.labels[i]);
  }
}

void ScoreMoments::add(float label) noexcept {
  const double margin = label * kernels::dot(row_.data(), weights_, features_);
  const double s = std::clamp(-Logistic{}.slope(margin), 0.0, 1.0);
  const double curvature = kCurvatureScale * s * (1 - s), square = s * s;
  double* h = sum_.data();
  double* j = h + triangle(features_);
  for (std::size_t i = 0; i < features_; h += ++i, j += i) {
    if (row_[i] == 0) continue;
    kernels::axpy(curvature * row_[i], row_.data(), h, i + 1);
    kernels::axpy(square * row_[i], row_.data(), j, i + 1);
  }
}

Sensitive<Vector> ScoreMoments::take() const {
  Vector packed(sum_.begin(), sum_.end());
  std::size_t at = 0;
  for (int matrix = 0; matrix < 2; ++matrix) {
    for (std::size_t i = 0; i < features_; ++i, ++at) {
      for (std::size_t k = 0; k < i; ++k) packed[at++] *= kRoot2;
    }
  }
  return Sensitive<Vector>(std::move(packed));
}

std::unique_ptr<RowSum> ScoreMoments::empty_copy() const {
  auto copy = std::make_unique<ScoreMoments>(*this);
  copy->clear();
  return copy;
}

void ScoreMoments::clear() noexcept { std::fill(sum_.begin(), sum_.end(), 0.0); }

void ScoreMoments::merge(const RowSum& other) noexcept {
  kernels::axpy(1.0, static_cast<const ScoreMoments&>(other).sum_.data(), sum_.data(), sum_.size());
}

// The last factor covers the few roundings of a row's products.
double score_moments_sensitivity(double data_norm, bool replaced) noexcept {
  return data_norm * data_norm * (replaced ? kRoot2 : 1.0) * (1 + 0x1p-40);
}

MomentPair unpack_moments(const Vector& packed, std::size_t features) {
  MomentPair pair{Vector(features * features), Vector(features * features)};
  std::size_t at = 0;
  for (Vector* matrix : {&pair.curvature, &pair.scores}) {
    const double scale = matrix == &pair.curvature ? ScoreMoments::kCurvatureScale : 1.0;
    for (std::size_t i = 0; i < features; ++i) {
      for (std::size_t k = 0; k <= i; ++k) {
        const double entry = packed[at++] / (scale * (i == k ? 1.0 : kRoot2));
        (*matrix)[i * features + k] = (*matrix)[k * features + i] = entry;
      }
    }
  }
  return pair;
}

}  // namespace sotto
