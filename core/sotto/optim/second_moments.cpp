// What: the second moments of the rows, as one vector to be noised.
// Formula: a row adds x x', of Frobenius norm |x|^2 <= X^2. Two rows: |x x' - y y'|^2 = |x|^4 + |y|^4 - 2 (x.y)^2, at
//   most 2 X^4.
// Conditions: rows of norm at most X.
// Reference: docs/notes/whitening.md.
// Fails if wrong: SecondMoments.* (neighbours within the bound, a pair that attains it, sums against the definition)
#include "sotto/optim/second_moments.h"

#include <algorithm>

#include "sotto/linalg/kernels.h"

namespace sotto {
namespace {

constexpr double kRootOfTwo = 1.4142135623730951;

}  // namespace

SecondMoments::SecondMoments(const Facts& facts)
    : features_(facts.features), row_(features_, 0.0), sum_(packed_size(features_), 0.0) {}

void SecondMoments::consume(const RowBlock& block) noexcept {
  for (std::size_t i = 0; i < block.rows; ++i) {
    if (block.sparse()) {
      std::fill(row_.begin(), row_.end(), 0.0);
      for (std::uint64_t e = block.offsets[i]; e < block.offsets[i + 1]; ++e) row_[block.columns[e]] = block.values[e];
    } else {
      const float* from = block.dense + i * features_;
      std::copy(from, from + features_, row_.begin());
    }
    double* line = sum_.data();
    for (std::size_t k = 0; k < features_; line += ++k) {
      if (row_[k] != 0) kernels::axpy(row_[k], row_.data(), line, k + 1);
    }
  }
}

Sensitive<Vector> SecondMoments::take() const {
  Vector packed(sum_.begin(), sum_.end());
  std::size_t at = 0;
  for (std::size_t i = 0; i < features_; ++i, ++at) {
    for (std::size_t k = 0; k < i; ++k) packed[at++] *= kRootOfTwo;
  }
  return Sensitive<Vector>(std::move(packed));
}

std::unique_ptr<RowSum> SecondMoments::empty_copy() const {
  auto copy = std::make_unique<SecondMoments>(*this);
  copy->clear();
  return copy;
}

void SecondMoments::clear() noexcept { std::fill(sum_.begin(), sum_.end(), 0.0); }

void SecondMoments::merge(const RowSum& other) noexcept {
  kernels::axpy(1.0, static_cast<const SecondMoments&>(other).sum_.data(), sum_.data(), sum_.size());
}

// The last factor covers the few roundings of a row's products.
double second_moments_sensitivity(double data_norm, bool replaced) noexcept {
  return data_norm * data_norm * (replaced ? kRootOfTwo : 1.0) * (1 + 0x1p-40);
}

Vector unpack_second_moments(const Vector& packed, std::size_t features) {
  Vector matrix(features * features);
  std::size_t at = 0;
  for (std::size_t i = 0; i < features; ++i) {
    for (std::size_t k = 0; k <= i; ++k) {
      const double entry = packed[at++] / (i == k ? 1.0 : kRootOfTwo);
      matrix[i * features + k] = matrix[k * features + i] = entry;
    }
  }
  return matrix;
}

}  // namespace sotto
