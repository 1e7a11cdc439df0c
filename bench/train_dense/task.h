#pragma once
#include <memory>
#include <vector>

#include "runner.h"
#include "train_dense/problem.h"

namespace sotto::bench {

/// One pass over 1,000,000 rows of 50 numbers at batches of 50 and of 1.
Task train_dense_task();

/// Every contender of this folder is one function in one file.
namespace train_dense {

/// Reads the memory of the rows once: the sum of their 64-bit words modulo 2^64, in two halves.
Answer read_memory(const DenseProblem& problem);
/// The loop somebody would write for this one problem.
Answer hand_written(const DenseProblem& problem, std::size_t batch_rows);
/// The kernels of the library without anything around them.
Answer bare_kernels(const DenseProblem& problem, std::size_t batch_rows);

/// The library through its public interface: every method and engine there is.
std::vector<Contender> library(const std::shared_ptr<const DenseProblem>& problem);

}  // namespace train_dense
}  // namespace sotto::bench
