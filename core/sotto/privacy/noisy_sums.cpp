#include "sotto/privacy/noisy_sums.h"

#include <algorithm>
#include <utility>

namespace sotto {

NoisySums::NoisySums(const BitSource& bits, std::unique_ptr<SumNoise> noise, std::size_t dimension, std::uint64_t draws)
    : bits_(&bits), noise_(std::move(noise)), dimension_(dimension), draws_left_(draws) {}

NoisySums::NoisySums(NoisySums&& other) noexcept
    : bits_(std::exchange(other.bits_, nullptr)),
      noise_(std::move(other.noise_)),
      dimension_(other.dimension_),
      draws_left_(std::exchange(other.draws_left_, 0)),
      epoch_(other.epoch_) {}

// A sum of another dimension is not what the noise was calibrated to; a child process after fork was charged nothing.
inline bool NoisySums::may_noise(std::size_t dimension) noexcept {
  if (draws_left_ == 0 || dimension != dimension_ || epoch_ != fork_epoch()) return false;
  --draws_left_;
  return true;
}

void NoisySums::perturb(std::span<double> sum) noexcept {
  if (!may_noise(sum.size())) return std::fill(sum.begin(), sum.end(), 0.0);
  noise_->add(sum);
}

void NoisySums::step(double decay, double size, std::span<const double> sum, std::span<double> weights) noexcept {
  if (weights.size() != dimension_ || !may_noise(sum.size())) {
    return kernels::scale(decay, weights.data(), weights.size());
  }
  noise_->step(decay, size, sum, weights);
}

void NoisySums::step_row(double decay, double size, const kernels::RowTerm& row, std::span<double> weights) noexcept {
  if (!may_noise(weights.size())) return kernels::scale(decay, weights.data(), weights.size());
  noise_->step_row(decay, size, row, weights);
}

}  // namespace sotto
