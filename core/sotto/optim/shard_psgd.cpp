#include "sotto/optim/shard_psgd.h"

#include <algorithm>
#include <utility>

namespace sotto {

ShardPsgd::ShardPsgd(std::span<const ShardTask> tasks) {
  for (const ShardTask& task : tasks) {
    shards_.push_back({std::make_unique<Psgd>(task.recipe, task.facts), task.facts.rows});
  }
}

void ShardPsgd::consume(const RowBlock& block) noexcept {
  for (std::size_t done = 0; done < block.rows;) {
    Shard& shard = shards_[shard_];
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(block.rows - done, shard.rows - seen_));
    shard.psgd->consume(block.slice(done, count));
    done += count;
    seen_ += count;
    if (seen_ < shard.rows) continue;
    seen_ = 0;
    shard_ = (shard_ + 1) % shards_.size();
  }
}

std::uint64_t ShardPsgd::steps_done() const noexcept {
  std::uint64_t steps = 0;
  for (const Shard& shard : shards_) steps += shard.psgd->steps_done();
  return steps;
}

std::vector<Sensitive<Vector>> ShardPsgd::finish() && {
  std::vector<Sensitive<Vector>> results;
  for (Shard& shard : shards_) results.push_back(std::move(*shard.psgd).finish());
  return results;
}

}  // namespace sotto
