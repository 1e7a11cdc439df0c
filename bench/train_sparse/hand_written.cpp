#include <algorithm>
#include <cmath>

#include "sotto/linalg/vector.h"
#include "train_sparse/task.h"

namespace sotto::bench::train_sparse {
namespace {

/// One row: its slope at w goes, times `factor`, into `sum`, which may be w.
void take_row(const SparseProblem& problem, std::size_t row, const double* w, double factor, double* sum) {
  const std::uint32_t* columns = problem.columns.data();
  const float* values = problem.values.data();
  const std::uint64_t first = problem.offsets[row];
  const std::uint64_t last = problem.offsets[row + 1];
  const double label = problem.labels[row];
  double margin = 0;
#pragma omp simd reduction(+ : margin)
  for (std::uint64_t i = first; i < last; ++i) margin += static_cast<double>(values[i]) * w[columns[i]];
  const double coefficient = factor * -label / (1.0 + std::exp(label * margin));
  for (std::uint64_t i = first; i < last; ++i) sum[columns[i]] += coefficient * static_cast<double>(values[i]);
}

}  // namespace

Answer hand_written(const SparseProblem& problem, std::size_t batch_rows) {
  const std::size_t n = problem.features;
  AlignedVector weights(n);
  AlignedVector sum(n);
  double* w = weights.data();
  double* g = sum.data();
  if (batch_rows == 1) {
    for (std::size_t row = 0; row < problem.rows; ++row) take_row(problem, row, w, -kStepSize, w);
    return Answer(weights.begin(), weights.end());
  }
  const double step = kStepSize / static_cast<double>(batch_rows);
  for (std::size_t first = 0; first < problem.rows; first += batch_rows) {
    const std::size_t last = std::min(first + batch_rows, problem.rows);
    for (std::size_t row = first; row < last; ++row) take_row(problem, row, w, 1.0, g);
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) {
      w[i] = (1 - kStepSize * kLambda) * w[i] - step * g[i];
      g[i] = 0;
    }
  }
  return Answer(weights.begin(), weights.end());
}

}  // namespace sotto::bench::train_sparse
