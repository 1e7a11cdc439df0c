#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/privacy/event.h"
#include "sotto/privacy/relation.h"
#include "sotto/random/bit_source.h"

namespace sotto {

/// How many rows have each text; a row has at most one.
using TextCounts = std::map<std::string, std::uint64_t>;

/// Finds texts that many rows have, out of an unknown set: integer noise on every count that is not 0, and only what
/// reaches a threshold is shown. It draws and names the event, like a Mechanism.
struct Discovery {
  static constexpr std::string_view kName = "discovery";
  double epsilon = 0;
  Relation relation = Relation::replace_one;
  double allowed = 0;       ///< bound on the probability that a text of one row is shown
  std::uint32_t most = 64;  ///< texts shown; those with the largest noisy counts

  Event event() const { return DiscreteLaplaceEvent{epsilon}; }
  /// Throws Error{invalid_argument} for numbers the law cannot be drawn with.
  void check() const;
  /// By how much one row moves the counts, added over all texts.
  std::uint64_t shift() const noexcept { return relation == Relation::add_remove ? 1 : 2; }
  /// The noisy count from which on a text is shown.
  std::int64_t threshold() const;
  /// In total variation, from a law that costs the event alone: the probability that a text of one row is shown.
  double distance() const;
  /// Sorted.
  std::vector<std::string> draw(BitSource& bits, const TextCounts& counts) const;
};

}  // namespace sotto
