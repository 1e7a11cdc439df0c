#include <cstring>

#include "train_dense/task.h"

namespace sotto::bench::train_dense {

Answer read_memory(const DenseProblem& problem) {
  constexpr std::size_t kWords = 32;  // four cache lines in flight
  const float* numbers = problem.dense.data();
  std::uint64_t sums[kWords] = {};
  std::size_t i = 0;
  for (; i + 2 * kWords <= problem.dense.size(); i += 2 * kWords) {
    std::uint64_t words[kWords];
    std::memcpy(words, numbers + i, sizeof words);
    for (std::size_t k = 0; k < kWords; ++k) sums[k] += words[k];
  }
  std::uint64_t sum = 0;
  for (; i + 1 < problem.dense.size(); i += 2) {
    std::uint64_t word = 0;
    std::memcpy(&word, numbers + i, sizeof word);
    sum += word;
  }
  for (const std::uint64_t part : sums) sum += part;
  return {static_cast<double>(sum >> 32), static_cast<double>(sum & 0xffffffff)};
}

}  // namespace sotto::bench::train_dense
