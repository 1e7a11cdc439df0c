#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "sotto/methods/plan.h"
#include "sotto/methods/sgd_options.h"
#include "sotto/optim/shard_psgd.h"

namespace sotto {

/// Permutation SGD on each shard of the rows, one average at the end, noise once (spec 3.6).
struct ShardAverage {
  static constexpr std::string_view kName = "shard_average";
  static constexpr std::string_view kSummary =
      "permutation SGD on each shard, one average, noise once; any smooth loss";
  static constexpr std::string_view kReference = "spec 3.6; [Wu17, Algorithms 1 and 2], corrected, on shards";
  static constexpr std::uint64_t kMaxShards = 4096;
  static constexpr std::uint64_t kMaxWeights = std::uint64_t{1} << 25;  ///< of all shards together: 256 MB
  std::uint32_t shards = 4;
  SgdOptions sgd{};
  MechanismChoice mechanism = MechanismChoice::automatic;
  /// Rows of each shard, where who holds them says so; public, and to outlive this. None: `shards` parts as equal as
  /// can be.
  std::span<const std::uint64_t> sizes{};

  static constexpr auto fields() {
    return std::tuple{field("shards", &ShardAverage::shards,
                            "shards of the rows, as equal as can be; at most 4096, of 2^25 weights together"),
                      field("sgd", &ShardAverage::sgd, ""),
                      field("mechanism", &ShardAverage::mechanism, "law of the noise; auto follows delta")};
  }

  Plan plan(const PlanInput& input) const;
  /// What each shard does. Throws as plan() does where a shard alone is refused.
  std::vector<ShardTask> tasks(const PlanInput& input) const;
};

}  // namespace sotto
