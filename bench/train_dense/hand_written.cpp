#include <algorithm>
#include <cmath>

#include "sotto/linalg/vector.h"
#include "train_dense/task.h"

namespace sotto::bench::train_dense {
namespace {

void add_row(const float* x, double label, std::size_t n, const double* w, double* g) {
  double margin = 0;
#pragma omp simd reduction(+ : margin)
  for (std::size_t i = 0; i < n; ++i) margin += static_cast<double>(x[i]) * w[i];
  const double slope = -label / (1.0 + std::exp(label * margin));
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) g[i] += slope * static_cast<double>(x[i]);
}

/// At batch 1 no sum is needed: the row goes straight into the weights.
void take_row(const float* x, double label, std::size_t n, double* w) {
  double margin = 0;
#pragma omp simd reduction(+ : margin)
  for (std::size_t i = 0; i < n; ++i) margin += static_cast<double>(x[i]) * w[i];
  const double step = kStepSize * -label / (1.0 + std::exp(label * margin));
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) w[i] = (1 - kStepSize * kLambda) * w[i] - step * static_cast<double>(x[i]);
}

}  // namespace

Answer hand_written(const DenseProblem& problem, std::size_t batch_rows) {
  const std::size_t n = problem.features;
  const float* x = problem.dense.data();
  const float* labels = problem.labels.data();
  AlignedVector weights(n);
  AlignedVector sum(n);
  double* w = weights.data();
  double* g = sum.data();
  if (batch_rows == 1) {
    for (std::size_t row = 0; row < problem.rows; ++row) take_row(x + row * n, labels[row], n, w);
    return Answer(weights.begin(), weights.end());
  }
  const double step = kStepSize / static_cast<double>(batch_rows);
  for (std::size_t first = 0; first < problem.rows; first += batch_rows) {
    const std::size_t last = std::min(first + batch_rows, problem.rows);
    for (std::size_t row = first; row < last; ++row) add_row(x + row * n, labels[row], n, w, g);
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) {
      w[i] = (1 - kStepSize * kLambda) * w[i] - step * g[i];
      g[i] = 0;
    }
  }
  return Answer(weights.begin(), weights.end());
}

}  // namespace sotto::bench::train_dense
