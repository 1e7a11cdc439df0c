#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "sotto/linalg/kernels.h"
#include "sotto/privacy/drawer.h"
#include "sotto/random/bit_source.h"
#include "sotto/random/fork_epoch.h"

namespace sotto {

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
  /// weights = decay * weights - size * (the noised sum), in one sweep; the sum itself is left as it was.
  void step(double decay, double size, std::span<const double> sum, std::span<double> weights) noexcept;
  /// The same with the sum coefficient * row of a batch of one row.
  void step_row(double decay, double size, const kernels::RowTerm& row, std::span<double> weights) noexcept;
  std::uint64_t draws_left() const noexcept { return draws_left_; }

 private:
  friend class Curator;
  NoisySums(const BitSource& bits, std::unique_ptr<SumNoise> noise, std::size_t dimension, std::uint64_t draws);

  bool may_noise(std::size_t dimension) noexcept;

  const BitSource* bits_;  // of the curator that handed this out
  std::unique_ptr<SumNoise> noise_;
  std::size_t dimension_;
  std::uint64_t draws_left_;
  std::uint64_t epoch_ = fork_epoch();
};

}  // namespace sotto
