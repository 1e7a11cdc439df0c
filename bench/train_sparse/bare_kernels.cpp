#include <algorithm>

#include "sotto/linalg/exp.h"
#include "sotto/linalg/kernels.h"
#include "sotto/linalg/vector.h"
#include "train_sparse/task.h"

namespace sotto::bench::train_sparse {
namespace {

struct Row {
  const std::uint32_t* columns;
  const float* values;
  std::size_t count;
};

Row row_of(const SparseProblem& problem, std::size_t row) {
  const std::uint64_t first = problem.offsets[row];
  return {problem.columns.data() + first, problem.values.data() + first, problem.offsets[row + 1] - first};
}

Answer row_by_row(const SparseProblem& problem) {
  AlignedVector w(problem.features);
  for (std::size_t i = 0; i < problem.rows; ++i) {
    const Row row = row_of(problem, i);
    const double label = problem.labels[i];
    const double margin = kernels::dot(row.columns, row.values, row.count, w.data());
    const double slope = label * kernels::logistic_slope(label * margin);
    kernels::axpy(-kStepSize * slope, row.columns, row.values, row.count, w.data());
  }
  return Answer(w.begin(), w.end());
}

}  // namespace

Answer bare_kernels(const SparseProblem& problem, std::size_t batch_rows) {
  if (batch_rows == 1) return row_by_row(problem);
  const std::size_t n = problem.features;
  AlignedVector w(n);
  AlignedVector g(n);
  AlignedVector slopes(batch_rows);
  for (std::size_t first = 0; first < problem.rows; first += batch_rows) {
    const std::size_t count = std::min(batch_rows, problem.rows - first);
    const float* labels = problem.labels.data() + first;
    for (std::size_t i = 0; i < count; ++i) {
      const Row row = row_of(problem, first + i);
      slopes[i] = labels[i] * kernels::dot(row.columns, row.values, row.count, w.data());
    }
    kernels::logistic_slopes(slopes.data(), count, slopes.data());
    std::fill(g.begin(), g.end(), 0.0);
    for (std::size_t i = 0; i < count; ++i) {
      const Row row = row_of(problem, first + i);
      kernels::axpy(labels[i] * slopes[i], row.columns, row.values, row.count, g.data());
    }
    kernels::step(1 - kStepSize * kLambda, kStepSize / static_cast<double>(batch_rows), g.data(), w.data(), n);
  }
  return Answer(w.begin(), w.end());
}

}  // namespace sotto::bench::train_sparse
