#include "train_sparse/problem.h"

#include <algorithm>
#include <cmath>

namespace sotto::bench {

SparseProblem make_sparse(std::size_t rows, std::size_t features, std::size_t entries) {
  SparseProblem problem{rows,
                        features,
                        std::vector<std::uint64_t>(rows + 1),
                        std::vector<std::uint32_t>(rows * entries),
                        std::vector<float>(rows * entries),
                        std::vector<float>(rows)};
  QuickBits bits(0xd1342543de82ef95);
  const double scale = 1.0 / std::sqrt(static_cast<double>(entries));
  const std::size_t stretch = features / entries;
  std::size_t at = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    double margin = 0.3 * bits.symmetric();
    for (std::size_t entry = 0; entry < entries; ++entry, ++at) {
      const std::size_t column = entry * stretch + bits() % stretch;
      const double value = scale * bits.symmetric();
      margin += column % 2 == 0 ? value : -value;
      problem.columns[at] = static_cast<std::uint32_t>(column);
      problem.values[at] = static_cast<float>(value);
    }
    problem.offsets[row + 1] = at;
    problem.labels[row] = margin > 0 ? 1.0F : -1.0F;
  }
  return problem;
}

Answer plain_sparse_pass(const SparseProblem& problem, std::size_t batch_rows) {
  using Extended = long double;
  std::vector<Extended> w(problem.features);
  std::vector<Extended> g(problem.features);
  const Extended lambda = batch_rows == 1 ? 0 : kLambda;
  const Extended step = Extended{kStepSize} / static_cast<Extended>(batch_rows);
  for (std::size_t first = 0; first < problem.rows; first += batch_rows) {
    for (std::size_t row = first; row < std::min(first + batch_rows, problem.rows); ++row) {
      const Extended label = problem.labels[row];
      Extended margin = 0;
      for (auto i = problem.offsets[row]; i < problem.offsets[row + 1]; ++i) {
        margin += w[problem.columns[i]] * problem.values[i];
      }
      const Extended slope = -label / (1 + std::exp(label * margin));
      for (auto i = problem.offsets[row]; i < problem.offsets[row + 1]; ++i) {
        (batch_rows == 1 ? w : g)[problem.columns[i]] += (batch_rows == 1 ? -step : 1) * slope * problem.values[i];
      }
    }
    if (batch_rows == 1) continue;
    for (std::size_t i = 0; i < problem.features; ++i) {
      w[i] = (1 - Extended{kStepSize} * lambda) * w[i] - step * g[i];
      g[i] = 0;
    }
  }
  return Answer(w.begin(), w.end());
}

}  // namespace sotto::bench
