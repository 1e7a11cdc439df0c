#pragma once
#include <vector>

#include "sotto/optim/shard_psgd.h"
#include "sotto/privacy/mechanism.h"
#include "sotto/work/run.h"

namespace sotto {

/// Permutation SGD on each shard of the rows, here or where the shards are; one average, noise once.
struct ShardWork {
  std::vector<ShardTask> tasks;
  RowOrder order = RowOrder::fixed;
  Mechanism noise{};

  Outcome run(const Run& run) const;
};

/// The public weight of a shard in the average.
double shard_weight(const ShardTask& task, std::uint64_t rows);

}  // namespace sotto
