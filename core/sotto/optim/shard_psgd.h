#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sotto/optim/psgd.h"

namespace sotto {

/// What one shard does: its recipe and the facts of its own rows.
struct ShardTask {
  Recipe recipe;
  Facts facts;
};

/// Permutation SGD on each of several shards, as one aggregate: of the visits of every pass the first rows(1) go to the
/// first shard, the next rows(2) to the second. With the same order in every pass the shard of a row is a function of
/// its position. A shard never sees another's weights.
class ShardPsgd final : public RowConsumer {
 public:
  explicit ShardPsgd(std::span<const ShardTask> tasks);

  void consume(const RowBlock& block) noexcept override;
  /// Of all shards; public, since it depends on counts alone.
  std::uint64_t steps_done() const noexcept;
  /// The results of the shards in their order. Call once, after the last pass.
  std::vector<Sensitive<Vector>> finish() &&;

 private:
  struct Shard {
    std::unique_ptr<Psgd> psgd;
    std::uint64_t rows;
  };
  std::vector<Shard> shards_;
  std::size_t shard_ = 0;
  std::uint64_t seen_ = 0;  // rows of this pass in the shard
};

/// Shards whose rows are elsewhere: each runs all its passes there. An engine that is one has no rows to scan.
class ShardHost {
 public:
  virtual ~ShardHost() = default;
  /// One result per shard, in the order of the shards, computed by the tasks of the plan.
  virtual std::vector<Sensitive<Vector>> run_shards(std::span<const ShardTask> tasks) = 0;
};

}  // namespace sotto
