#include "sotto/optim/secret_descent.h"

#include <algorithm>
#include <cmath>

#include "sotto/linalg/kernels.h"

namespace sotto {

SecretDescent::SecretDescent(const Loss& loss, const Facts& facts, const DescentStep& step, StepNoise* noise)
    : step_(step),
      noise_(noise),
      sum_(loss, facts, fine_gradients(loss, facts)),
      weights_(weight_count(loss, facts), 0.0),
      total_(weights_.size()) {}

void SecretDescent::step_all(const Engine& engine) {
  sum_.start(weights_);
  sum_rows(engine, sum_);
  take_step();
}

void SecretDescent::step_rows(const Engine& engine, std::uint64_t first, std::uint64_t count) {
  sum_.start(weights_);
  engine.scan_rows(first, count, sum_);
  take_step();
}

void SecretDescent::take_step() noexcept {
  const double decay = 1 - step_.step_size * step_.lambda;
  for (std::size_t i = 0; i < total_.size(); ++i) total_[i] = sum_.sum_.value(i);
  kernels::step(decay, step_.step_size / step_.divisor, total_.data(), weights_.data(), weights_.size());
  if (noise_ != nullptr) noise_->perturb(weights_);
  if (!step_.projection.active()) return;
  const double norm = kernels::norm_at_least(weights_.data(), weights_.size());
  // Rounded to the inside, so that the radius bounds the weights.
  const double shrink = step_.projection.radius / norm * (1 - 0x1p-50);
  if (shrink < 1) kernels::scale(shrink, weights_.data(), weights_.size());
}

Sensitive<Vector> SecretDescent::finish() && { return Sensitive<Vector>(Vector(weights_.begin(), weights_.end())); }

// A margin is off by at most d u |w| |x|, which moves a slope by beta/X^2 of that and the step by eta beta d u |w|,
// with eta beta < 2; slopes move the step by s u eta L, s = slope_rounding(), which is 8 but for narrow Huber losses;
// the grid of the gradients moves their mean by h sqrt(n)/2 <= 4 u sqrt(n) L, n the weights, and the sum is rounded once;
// the norm and the scaling of a projection within (d + 24) u |w|. At least twice their sum:
double step_rounding(const StepRoundingInput& input) noexcept {
  const double weights = static_cast<double>(input.weights) + 8;
  const double gradient = std::sqrt(weights) + 8 + input.slope_rounding;
  return 8 * 0x1p-53 * (weights * input.weight_bound + (weights + gradient) * input.step_times_lipschitz);
}

}  // namespace sotto
