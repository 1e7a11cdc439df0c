#include <cstring>

#include "train_sparse/task.h"

namespace sotto::bench::train_sparse {

Answer read_memory(const SparseProblem& problem) {
  const std::size_t n = problem.values.size();
  std::uint64_t columns = 0;
  std::uint64_t values = 0;
#pragma omp simd reduction(+ : columns, values)
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, problem.values.data() + i, sizeof bits);
    columns += problem.columns[i];
    values += bits;
  }
  return {static_cast<double>(columns), static_cast<double>(values)};
}

}  // namespace sotto::bench::train_sparse
