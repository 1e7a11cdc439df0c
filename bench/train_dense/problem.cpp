#include "train_dense/problem.h"

#include <algorithm>
#include <cmath>

namespace sotto::bench {

DenseProblem make_dense(std::size_t rows, std::size_t features) {
  DenseProblem problem{rows, features, std::vector<float>(rows * features), std::vector<float>(rows)};
  QuickBits bits(0x9e3779b97f4a7c15);
  const double scale = 1.0 / std::sqrt(static_cast<double>(features));
  for (std::size_t row = 0; row < rows; ++row) {
    double margin = 0.3 * bits.symmetric();
    for (std::size_t i = 0; i < features; ++i) {
      const double value = scale * bits.symmetric();
      margin += i % 2 == 0 ? value : -value;
      problem.dense[row * features + i] = static_cast<float>(value);
    }
    problem.labels[row] = margin > 0 ? 1.0F : -1.0F;
  }
  return problem;
}

Answer plain_pass(const DenseProblem& problem, std::size_t batch_rows) {
  using Extended = long double;
  std::vector<Extended> w(problem.features);
  std::vector<Extended> g(problem.features);
  for (std::size_t first = 0; first < problem.rows; first += batch_rows) {
    std::fill(g.begin(), g.end(), Extended{0});
    for (std::size_t row = first; row < std::min(first + batch_rows, problem.rows); ++row) {
      const float* x = problem.dense.data() + row * problem.features;
      const Extended label = problem.labels[row];
      Extended margin = 0;
      for (std::size_t i = 0; i < problem.features; ++i) margin += w[i] * x[i];
      const Extended slope = -label / (1 + std::exp(label * margin));
      for (std::size_t i = 0; i < problem.features; ++i) g[i] += slope * x[i];
    }
    const Extended step = Extended{kStepSize} / static_cast<Extended>(batch_rows);
    for (std::size_t i = 0; i < problem.features; ++i) {
      w[i] = (1 - Extended{kStepSize} * Extended{kLambda}) * w[i] - step * g[i];
    }
  }
  return Answer(w.begin(), w.end());
}

}  // namespace sotto::bench
