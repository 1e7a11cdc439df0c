#pragma once
#include <cstdint>
#include <vector>

#include "sotto/linalg/vector.h"
#include "sotto/privacy/event.h"

namespace sotto {

/// What a curator under audit saw and handed out, in order. Made for tables that an audit invents: a curator that keeps
/// one is stamped *not private*, so nothing made with it can pass for a private release or enter a ledger.
struct Transcript {
  enum class Kind { release, batch_sum, joint, choice, sampled, minimiser };
  struct Entry {
    Kind kind = Kind::release;
    Event event{};
    /// The bound its noise was made for: on the distance of neighbours' values; of a joint sequence as a whole; on what
    /// one row adds (sampled); on the range of score gaps (choice); on the linear term (minimiser).
    double sensitivity = 0;
    double stddev = 0;     ///< of one coordinate of its noise; 0 for a choice
    Vector secret;         ///< before the noise; of a choice the scores, of a minimiser what was found
    Vector released;       ///< after it; of a choice the index
    Vector linear;         ///< of a minimiser: the random linear term
    double tolerance = 0;  ///< of a minimiser: what its gradient is certified to
    double curvature = 0;
    std::vector<Event> noises;        ///< of a minimiser: of the linear term and of the release, which its event has
    double release_sensitivity = 0;   ///< of a minimiser: the distance the noise of the release was made for
    std::vector<std::uint64_t> rows;  ///< of a sampled sum: its batch
  };
  std::vector<Entry> entries;
  /// Coins and outputs are taken from this one instead of drawn, so that a run on another table takes the same path:
  /// then the secrets of both can be compared one by one.
  const Transcript* follow = nullptr;

  /// The entry of `follow` that stands where the next one of this will; null where there is none.
  const Entry* leader() const noexcept {
    return follow != nullptr && entries.size() < follow->entries.size() ? &follow->entries[entries.size()] : nullptr;
  }
};

}  // namespace sotto
