#include <algorithm>

#include "sotto/linalg/exp.h"
#include "sotto/linalg/kernels.h"
#include "sotto/linalg/vector.h"
#include "train_dense/task.h"

namespace sotto::bench::train_dense {
namespace {

Answer row_by_row(const DenseProblem& problem) {
  const std::size_t n = problem.features;
  const float* x = problem.dense.data();
  AlignedVector w(n);
  for (std::size_t row = 0; row < problem.rows; ++row, x += n) {
    const double label = problem.labels[row];
    const double slope = label * kernels::logistic_slope(label * kernels::dot(x, w.data(), n));
    kernels::step(1 - kStepSize * kLambda, kStepSize * slope, x, w.data(), n);
  }
  return Answer(w.begin(), w.end());
}

}  // namespace

Answer bare_kernels(const DenseProblem& problem, std::size_t batch_rows) {
  if (batch_rows == 1) return row_by_row(problem);
  const std::size_t n = problem.features;
  AlignedVector w(n);
  AlignedVector g(n);
  AlignedVector slopes(batch_rows);
  for (std::size_t first = 0; first < problem.rows; first += batch_rows) {
    const std::size_t count = std::min(batch_rows, problem.rows - first);
    const float* x = problem.dense.data() + first * n;
    const float* labels = problem.labels.data() + first;
    kernels::dots(x, count, n, w.data(), slopes.data());
    for (std::size_t i = 0; i < count; ++i) slopes[i] *= labels[i];
    kernels::logistic_slopes(slopes.data(), count, slopes.data());
    for (std::size_t i = 0; i < count; ++i) slopes[i] *= labels[i];
    std::fill(g.begin(), g.end(), 0.0);
    kernels::accumulate(slopes.data(), x, count, n, g.data());
    kernels::step(1 - kStepSize * kLambda, kStepSize / static_cast<double>(batch_rows), g.data(), w.data(), n);
  }
  return Answer(w.begin(), w.end());
}

}  // namespace sotto::bench::train_dense
