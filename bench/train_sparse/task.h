#pragma once
#include <memory>
#include <vector>

#include "runner.h"
#include "train_sparse/problem.h"

namespace sotto::bench {

/// One pass over 1,000,000 rows with 20 of 1,000 columns each, at batches of 50 and of 1.
Task train_sparse_task();

/// Every contender of this folder is one function in one file.
namespace train_sparse {

/// Reads the memory of the rows once: the sum of their columns and of the bits of their values.
Answer read_memory(const SparseProblem& problem);
/// The loop somebody would write for this one problem.
Answer hand_written(const SparseProblem& problem, std::size_t batch_rows);
/// The kernels of the library without anything around them.
Answer bare_kernels(const SparseProblem& problem, std::size_t batch_rows);

/// The library through its public interface: every method and engine there is.
std::vector<Contender> library(const std::shared_ptr<const SparseProblem>& problem);

}  // namespace train_sparse
}  // namespace sotto::bench
