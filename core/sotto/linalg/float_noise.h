#pragma once
#include <cstddef>

#include "sotto/linalg/kernels.h"

/// Steps with float-grade noise, which is never stored as a vector of its own.
namespace sotto::kernels {

/// The vector factor * normals.
struct FloatNoise {
  double factor;
  const float* normals;
};

struct FloatNoisyStep {
  double decay;
  double size;
  FloatNoise noise;
};

/// w = decay * w - size * (sum + noise), in one sweep.
void step_with_noise(const FloatNoisyStep& step, const double* sum, double* w, std::size_t n) noexcept;
/// The same with the sum of a single row, which is never stored.
void step_row_with_noise(const FloatNoisyStep& step, const RowTerm& row, double* w, std::size_t n) noexcept;

}  // namespace sotto::kernels
