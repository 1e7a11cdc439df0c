#pragma once
#include <cstdint>

#include "sotto/base/sensitive.h"
#include "sotto/linalg/vector.h"
#include "sotto/optim/engine.h"
#include "sotto/optim/gradient_sum.h"
#include "sotto/optim/projection.h"
#include "sotto/optim/psgd.h"

namespace sotto {

/// w <- Proj(w - eta (lambda w + (1/divisor) sum of data gradients) + noise), the same step every time.
struct DescentStep {
  double step_size = 0;
  double lambda = 0;
  double divisor = 1;
  BallProjection projection{};
};

/// Gradient descent whose iterates stay secret until the end. The noise hook gets the weights of each step before they
/// are projected; without noise it is plain gradient descent.
class SecretDescent {
 public:
  /// `noise`, if given, must outlive the descent.
  SecretDescent(const Loss& loss, const Facts& facts, const DescentStep& step, StepNoise* noise);

  /// One step on the gradients of all rows, summed on all processors.
  void step_all(const Engine& engine);
  /// One step on the rows at positions [first, first + count).
  void step_rows(const Engine& engine, std::uint64_t first, std::uint64_t count);
  /// The last iterate, still secret.
  Sensitive<Vector> finish() &&;

 private:
  void take_step() noexcept;

  DescentStep step_;
  StepNoise* noise_;
  GradientSum sum_;
  AlignedVector weights_;
  AlignedVector total_;  // the sum as binary64 numbers
};

/// What the rounding of a step depends on.
struct StepRoundingInput {
  std::size_t weights = 0;  ///< in the model
  double weight_bound = 0;  ///< on the norm of the weights before the step
  double step_times_lipschitz = 0;
  double slope_rounding = 8;  ///< see slope_rounding()
};
/// How far a computed step may be from the exact one, apart from the noise's grid: rounding of margins, slopes, sums,
/// the step itself and its projection. For steps below 2/(beta + lambda).
double step_rounding(const StepRoundingInput& input) noexcept;

}  // namespace sotto
