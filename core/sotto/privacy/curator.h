#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sotto/base/sensitive.h"
#include "sotto/linalg/vector.h"
#include "sotto/privacy/event.h"
#include "sotto/privacy/mechanism.h"
#include "sotto/random/bit_source.h"

namespace sotto {

/// How step noise is drawn. The safe path is the release path of spec 5.2; the fast path uses float-grade noise that
/// does not withstand attacks on the low bits, and the card says so.
enum class NoisePath { safe, fast };
constexpr auto enum_names(NoisePath) {
  return std::array{std::pair{std::string_view("safe"), NoisePath::safe},
                    std::pair{std::string_view("fast"), NoisePath::fast}};
}

/// Noise for batch sums, handed out by the curator for a charged number of draws. When they are used up, or for a sum
/// of another dimension than the mechanism's, the sum is replaced by zeros: no data leaves without a charge. Move-only:
/// a copy would hand out the charged draws a second time.
class NoisySums {
 public:
  NoisySums(NoisySums&& other) noexcept;
  NoisySums& operator=(NoisySums&&) = delete;
  NoisySums(const NoisySums&) = delete;
  NoisySums& operator=(const NoisySums&) = delete;
  ~NoisySums() = default;

  void perturb(std::span<double> sum) noexcept;
  std::uint64_t draws_left() const noexcept { return draws_left_; }

 private:
  friend class Curator;
  NoisySums(BitSource& bits, const Mechanism& mechanism, NoisePath path, std::uint64_t draws);

  BitSource* bits_;
  Mechanism mechanism_;
  NoisePath path_;
  std::uint64_t draws_left_;
  std::vector<std::int64_t> integer_noise_;
  Vector fast_noise_;
};

/// The only one who opens a Sensitive. Charges come first; each release uses up a charged draw of its own event and
/// adds the noise in the same call.
class Curator {
 public:
  explicit Curator(BitSource& bits);

  /// Records the charge; must precede the first row read.
  void charge(const Charge& charge);
  /// Adds the mechanism's noise. Throws Error{budget_exceeded} if no charged draw of this event is left,
  /// Error{internal} if the mechanism was calibrated to another dimension.
  Vector release(Sensitive<Vector>&& secret, const Mechanism& mechanism);
  /// Noise for `draws` batch sums, at least one; uses up as many charged draws.
  NoisySums step_noise(const Mechanism& mechanism, NoisePath path, std::uint64_t draws);
  /// Hands out what was computed from noised sums alone: post-processing, free. Throws Error{internal} unless
  /// `noise` came from this curator's source and every sum promised to it was noised.
  Vector release_post_processed(Sensitive<Vector>&& secret, const NoisySums& noise);
  /// Hands the value out as it is; only a curator that was stamped *not private* does so.
  Vector release_unprotected(Sensitive<Vector>&& secret);
  /// Stamps everything made by this curator *not private*, saying why. No stamp can be removed.
  void stamp(const std::string& why);

  const std::vector<Charge>& charges() const noexcept { return charges_; }
  const std::vector<std::string>& stamps() const noexcept { return stamps_; }

 private:
  void use_draws(const Mechanism& mechanism, std::uint64_t draws);

  BitSource* bits_;
  std::vector<Charge> charges_;
  std::vector<std::uint64_t> draws_left_;
  std::vector<std::string> stamps_;
};

}  // namespace sotto
