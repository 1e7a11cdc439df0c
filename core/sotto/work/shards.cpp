#include "sotto/work/shards.h"

#include "sotto/optim/row_gradients.h"
#include "sotto/optim/secret_mean.h"

namespace sotto {
namespace {

std::vector<Sensitive<Vector>> run_here(const Run& run, const ShardWork& work) {
  ShardPsgd shards(work.tasks);
  std::uint64_t per_pass = 0;
  for (const ShardTask& task : work.tasks) per_pass += task.recipe.steps_per_pass(task.facts.rows);
  scan_passes(run, {work.order, work.tasks.front().recipe.passes, per_pass}, shards,
              [&] { return shards.steps_done(); });
  return std::move(shards).finish();
}

}  // namespace

double shard_weight(const ShardTask& task, std::uint64_t rows) {
  return static_cast<double>(task.facts.rows) / static_cast<double>(rows);
}

Outcome ShardWork::run(const Run& run) const {
  const Facts facts = run.engine.facts();
  std::vector<double> weights;
  weights.reserve(tasks.size());
  for (const ShardTask& task : tasks) weights.push_back(shard_weight(task, facts.rows));
  auto* elsewhere = dynamic_cast<ShardHost*>(&run.engine);
  std::vector<Sensitive<Vector>> results = elsewhere != nullptr ? elsewhere->run_shards(tasks) : run_here(run, *this);
  const std::size_t size = weight_count(tasks.front().recipe.loss, facts);
  return {run.curator.release(SecretMean::of(std::move(results), weights, size), noise)};
}

}  // namespace sotto
