#include "sotto/linalg/kernels.h"

// Scalar on every CPU: the loads of w go to unrelated cache lines, and collecting them into vectors gains nothing.
namespace sotto::kernels {

double dot(const std::uint32_t* columns, const float* values, std::size_t count, const double* w) noexcept {
  double lanes[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
#pragma GCC unroll 16
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] += static_cast<double>(values[i + lane]) * w[columns[i + lane]];
    }
  }
  for (std::size_t lane = 0; i < count; ++i, ++lane) lanes[lane] += static_cast<double>(values[i]) * w[columns[i]];
#pragma GCC unroll 4
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
#pragma GCC unroll 8
    for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

void axpy(double a, const std::uint32_t* columns, const float* values, std::size_t count, double* w) noexcept {
  for (std::size_t i = 0; i < count; ++i) w[columns[i]] += a * static_cast<double>(values[i]);
}

}  // namespace sotto::kernels
