#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "train_dense/problem.h"

namespace sotto::bench {

/// CSR rows of norm at most 1, the same number of entries in each, columns ascending.
struct SparseProblem {
  std::size_t rows = 0;
  std::size_t features = 0;
  std::vector<std::uint64_t> offsets = {};
  std::vector<std::uint32_t> columns = {};
  std::vector<float> values = {};
  std::vector<float> labels = {};
};

/// `entries` must divide `features`: each entry is drawn from its own stretch of columns.
SparseProblem make_sparse(std::size_t rows, std::size_t features, std::size_t entries);

/// As plain_pass() of train_dense; without regularisation at batch 1, where a step then touches a row's columns only.
Answer plain_sparse_pass(const SparseProblem& problem, std::size_t batch_rows);

}  // namespace sotto::bench
