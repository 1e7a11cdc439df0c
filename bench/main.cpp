#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "account/task.h"
#include "kernels/task.h"
#include "reading/task.h"
#include "runner.h"
#include "solvers/task.h"
#include "sotto/linalg/kernels.h"
#include "sotto/linalg/targets.h"
#include "train_dense/task.h"
#include "train_rows/task.h"
#include "train_sparse/task.h"

namespace {

const std::vector<sotto::bench::NamedTask>& tasks() {
  static const std::vector<sotto::bench::NamedTask> kTasks = {
      {"account_epsilon", sotto::bench::account_epsilon_task},
      {"account_noise", sotto::bench::account_noise_task},
      {"kernels", sotto::bench::kernels_task},
      {"reading_numbers", sotto::bench::reading_numbers_task},
      {"reading_texts", sotto::bench::reading_texts_task},
      {"scans_mnist", sotto::bench::scans_mnist_task},
      {"solvers_adult", sotto::bench::solvers_adult_task},
      {"solvers_mnist", sotto::bench::solvers_mnist_task},
      {"train_dense", sotto::bench::train_dense_task},
      {"train_rows", sotto::bench::train_rows_task},
      {"train_sparse", sotto::bench::train_sparse_task},
  };
  return kTasks;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Times sotto against loops written by hand; every answer is checked before it is timed.");
  std::string filter;
  std::string out;
  std::string target;
  int repetitions = 25;
  app.add_option("--filter", filter, "Run only the tasks whose name contains this");
  app.add_option("--out", out, "Write the measurements to this JSON file");
  app.add_option("--repetitions", repetitions, "Timed runs of each contender; the fastest counts")
      ->check(CLI::PositiveNumber);
  app.add_option("--target", target, "Instruction set of the kernels instead of the best one")
      ->check(CLI::IsMember(sotto::kernels::available_targets()));
  CLI11_PARSE(app, argc, argv);

  sotto::kernels::use_target(target);
  fmt::print("instruction set: {}\n", sotto::kernels::target_name());
  nlohmann::json all = nlohmann::json::array();
  try {
    for (const auto& task : tasks()) {
      if (task.name.find(filter) == std::string::npos) continue;
      const sotto::bench::Task made = task.make();
      if (made.contenders.empty())
        fmt::print("{:<13} skipped: its data is not prepared (see tools/bench)\n", task.name);
      const nlohmann::json measured = sotto::bench::measure(made, repetitions);
      sotto::bench::print_table(measured);
      all.insert(all.end(), measured.begin(), measured.end());
    }
  } catch (const std::exception& failure) {
    fmt::print(stderr, "sotto_bench: {}\n", failure.what());
    return 1;
  }
  if (out.empty()) return 0;
  std::ofstream file(out);
  file << all.dump(2) << '\n';
  file.close();
  if (file) return 0;
  fmt::print(stderr, "sotto_bench: {} cannot be written\n", out);
  return 1;
}
