#include "train_dense/task.h"

#include <bit>
#include <cstring>
#include <memory>

namespace sotto::bench {
namespace {

Answer sum_of_words(const DenseProblem& problem) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i + 1 < problem.dense.size(); i += 2) {
    std::uint64_t word = 0;
    std::memcpy(&word, problem.dense.data() + i, sizeof word);
    sum += word;
  }
  return {static_cast<double>(sum >> 32), static_cast<double>(sum & 0xffffffff)};
}

}  // namespace

Task train_dense_task() {
  const auto problem = std::make_shared<const DenseProblem>(make_dense(1'000'000, 50));
  const auto plain = [=](std::size_t batch_rows) { return [=] { return plain_pass(*problem, batch_rows); }; };
  const auto with = [=](auto* contender, std::size_t batch_rows) {
    return [=] { return contender(*problem, batch_rows); };
  };
  Task task{
      "train_dense",
      problem->rows,
      {
          {"read_memory", [=] { return train_dense::read_memory(*problem); }, [=] { return sum_of_words(*problem); }},
          {"hand_written_batch_50", with(train_dense::hand_written, 50), plain(50), {{"read_memory"}}},
          {"bare_kernels_batch_50",
           with(train_dense::bare_kernels, 50),
           plain(50),
           {{"hand_written_batch_50", 1.3}, {"read_memory", 3.0}}},
          {"hand_written_batch_1", with(train_dense::hand_written, 1), plain(1), {{"read_memory"}}},
          {"bare_kernels_batch_1", with(train_dense::bare_kernels, 1), plain(1), {{"hand_written_batch_1"}}},
      }};
  for (Contender& contender : train_dense::library(problem)) task.contenders.push_back(std::move(contender));
  return task;
}

}  // namespace sotto::bench
