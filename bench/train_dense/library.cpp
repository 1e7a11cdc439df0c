#include <unistd.h>

#include <cstdio>
#include <memory>

#include "library_pass.h"
#include "sotto/engines/in_memory.h"
#include "sotto/engines/out_of_core.h"
#include "sotto/files/block_file/block_file.h"
#include "sotto/files/block_file/load.h"
#include "sotto/files/block_file/pack.h"
#include "train_dense/task.h"

namespace sotto::bench::train_dense {
namespace {

Facts facts_of(const DenseProblem& problem) {
  return {problem.rows, static_cast<std::uint32_t>(problem.features), 1.0, false};
}

RowBlock rows_of(const DenseProblem& problem) {
  RowBlock rows;
  rows.rows = problem.rows;
  rows.features = static_cast<std::uint32_t>(problem.features);
  rows.dense = problem.dense.data();
  rows.labels = problem.labels.data();
  return rows;
}

/// A block file that lives as long as its contenders.
class PackedFile {
 public:
  explicit PackedFile(const DenseProblem& problem)
      : path_("/tmp/sotto-bench-" + std::to_string(::getpid()) + ".sotto") {
    BitSource bits(ReproducibleSeed{7});
    BlockFileWriter writer(path_, {static_cast<std::uint32_t>(problem.features), 1.0, false, "{}"}, bits);
    for (std::size_t i = 0; i < problem.rows; ++i) {
      writer.add_dense({problem.dense.data() + i * problem.features, problem.features}, problem.labels[i]);
    }
    writer.finish();
  }
  ~PackedFile() { std::remove(path_.c_str()); }
  PackedFile(const PackedFile&) = delete;
  PackedFile& operator=(const PackedFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Contender contender(const std::string& name, const std::shared_ptr<Engine>& engine, LibraryPass pass,
                    std::vector<Against> against) {
  pass.lambda = kLambda;
  const auto slowly = [=] {
    RowByRow one_by_one(*engine);
    return run_pass(one_by_one, pass);
  };
  return {name, [=] { return run_pass(*engine, pass); }, slowly, std::move(against)};
}

Scs13 scs13(std::size_t batch_rows) {
  Scs13 method;
  method.sgd = pass_options(batch_rows);
  return method;
}

}  // namespace

std::vector<Contender> library(const std::shared_ptr<const DenseProblem>& problem) {
  const std::shared_ptr<Engine> engine =
      std::make_shared<InMemoryEngine>(facts_of(*problem), rows_of(*problem), problem);
  std::vector<Contender> list;
  for (const std::size_t batch : {std::size_t{50}, std::size_t{10}, std::size_t{1}}) {
    const std::string suffix = "_batch_" + std::to_string(batch);
    const std::string noiseless = "noiseless" + suffix;
    std::vector<Against> bars;
    if (batch == 50) bars = {{"hand_written_batch_50", 1.3}, {"read_memory", 3.0}};
    if (batch == 1) bars = {{"hand_written_batch_1", 1.3}};
    list.push_back(contender(noiseless, engine, {Noiseless{pass_options(batch)}}, bars));
    list.push_back(
        contender("bolt_on" + suffix, engine, {BoltOn{pass_options(batch)}}, {{noiseless, batch == 50 ? 1.02 : 0}}));
    const double bar = batch == 1 ? 4.0 : batch == 10 ? 1.4 : 0;
    list.push_back(contender("scs13" + suffix, engine, {scs13(batch)}, {{noiseless, bar}}));
  }
  const auto file = std::make_shared<PackedFile>(*problem);
  const auto loaded = std::make_shared<InMemoryEngine>(load_rows(BlockFile(file->path())));
  const std::shared_ptr<Engine> streamed(new OutOfCoreEngine(file->path()), [file](Engine* e) { delete e; });
  // A fresh order keeps the engine in memory from caching the permuted rows between runs.
  const LibraryPass shuffled{Noiseless{pass_options(50, RowOrder::fresh)}, kLambda};
  const auto in_memory = [=] { return run_pass(*loaded, shuffled); };
  list.push_back({"in_memory_shuffled_batch_50", in_memory, in_memory, {{"noiseless_batch_50"}}});
  list.push_back({"out_of_core_shuffled_batch_50",
                  [=] { return run_pass(*streamed, shuffled); },
                  in_memory,
                  {{"in_memory_shuffled_batch_50", 1.25}}});
  return list;
}

}  // namespace sotto::bench::train_dense
