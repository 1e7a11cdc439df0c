#include "train_sparse/task.h"

#include <bit>
#include <memory>

namespace sotto::bench {
namespace {

Answer sums(const SparseProblem& problem) {
  std::uint64_t columns = 0;
  std::uint64_t values = 0;
  for (const std::uint32_t column : problem.columns) columns += column;
  for (const float value : problem.values) values += std::bit_cast<std::uint32_t>(value);
  return {static_cast<double>(columns), static_cast<double>(values)};
}

}  // namespace

Task train_sparse_task() {
  const auto problem = std::make_shared<const SparseProblem>(make_sparse(1'000'000, 1000, 20));
  const auto plain = [=](std::size_t batch_rows) { return [=] { return plain_sparse_pass(*problem, batch_rows); }; };
  const auto with = [=](auto* contender, std::size_t batch_rows) {
    return [=] { return contender(*problem, batch_rows); };
  };
  Task task{"train_sparse",
            problem->rows,
            {
                {"read_memory", [=] { return train_sparse::read_memory(*problem); }, [=] { return sums(*problem); }},
                {"hand_written_batch_50", with(train_sparse::hand_written, 50), plain(50), {{"read_memory"}}},
                {"bare_kernels_batch_50",
                 with(train_sparse::bare_kernels, 50),
                 plain(50),
                 {{"hand_written_batch_50", 1.3}, {"read_memory"}}},
                {"hand_written_batch_1", with(train_sparse::hand_written, 1), plain(1), {{"read_memory"}}},
                {"bare_kernels_batch_1", with(train_sparse::bare_kernels, 1), plain(1), {{"hand_written_batch_1"}}},
            }};
  for (Contender& contender : train_sparse::library(problem)) task.contenders.push_back(std::move(contender));
  return task;
}

}  // namespace sotto::bench
