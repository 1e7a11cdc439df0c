#include "train_rows/task.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <memory>

#include "library_pass.h"
#include "sotto/engines/in_memory.h"
#include "train_dense/problem.h"

namespace sotto::bench {
namespace {

constexpr std::size_t kMaxRows = 1'000'000;
constexpr std::size_t kFeatures = 50;

double resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  double all = 0;
  double resident = 0;
  statm >> all >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

std::shared_ptr<Engine> make_engine(std::size_t rows) {
  const auto problem = std::make_shared<const DenseProblem>(make_dense(rows, kFeatures));
  RowBlock block;
  block.rows = rows;
  block.features = kFeatures;
  block.dense = problem->dense.data();
  block.labels = problem->labels.data();
  return std::make_shared<InMemoryEngine>(Facts{rows, kFeatures, 1.0, false}, block, problem);
}

Contender contender(std::size_t rows) {
  LibraryPass pass{BoltOn{pass_options(50)}, kLambda};
  const double before = resident_bytes();
  const std::shared_ptr<Engine> engine = make_engine(rows);
  run_pass(*engine, pass);
  const double bytes = (resident_bytes() - before) / static_cast<double>(rows);
  std::get<BoltOn>(pass.method).sgd.passes = static_cast<std::uint32_t>(kMaxRows / rows);
  const auto slowly = [=] {
    RowByRow one_by_one(*engine);
    return run_pass(one_by_one, pass);
  };
  const double limit = rows == kMaxRows ? 1.15 : 0;
  return {fmt::format("bolt_on_rows_{}", rows),
          [=] { return run_pass(*engine, pass); },
          slowly,
          {{"bolt_on_rows_250000", limit}},
          fmt::format("{:.1f} resident bytes a row", bytes)};
}

}  // namespace

Task train_rows_task() {
  Task task{"train_rows", kMaxRows};
  for (const std::size_t rows : {kMaxRows / 4, kMaxRows / 2, kMaxRows}) task.contenders.push_back(contender(rows));
  return task;
}

}  // namespace sotto::bench
