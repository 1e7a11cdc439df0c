#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sotto/linalg/vector.h"
#include "sotto/privacy/drawer.h"
#include "sotto/privacy/event.h"

namespace sotto::audit {

/// What a curator under audit saw and handed out, in order. Made for tables that an audit invents: a curator that draws
/// by the drawer below is stamped *not private*, so nothing made with it can pass for a private release or enter a
/// ledger.
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

/// Draws as the product does, and writes down every value before and after its noise. Where the transcript follows
/// another, what leaves is taken from that one instead.
class NotingDrawer : public Drawer {
 public:
  NotingDrawer(BitSource& bits, Transcript& transcript) : Drawer(bits), transcript_(&transcript) {}

  Vector release(Vector value, const Mechanism& mechanism) override;
  Vector release_batch(Vector sum, const SampledGaussian& law, std::span<const std::uint64_t> rows) override;
  Vector release_minimiser(Vector found, const ObjectiveNoise& noise, std::span<const double> linear) override;
  std::size_t choose(const Vector& scores, const Choice& choice) override;
  std::vector<std::uint64_t> draw_batch(const SampledGaussian& law, std::uint64_t rows) override;
  std::unique_ptr<SumNoise> batch_sums(const Mechanism& mechanism, NoiseDemand demand) override;
  std::unique_ptr<SumNoise> joint_sums(const JointGaussian& law) override;

 private:
  Vector noted(Transcript::Entry entry, const Mechanism& mechanism);
  Transcript* transcript_;
};

}  // namespace sotto::audit
