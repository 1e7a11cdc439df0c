#include <cmath>

#include "kernels/task.h"

namespace sotto::bench::by_hand {

double dot(const float* x, const double* w, std::size_t n) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < n; ++i) sum += static_cast<double>(x[i]) * w[i];
  return sum;
}

void dots(const float* dense, std::size_t rows, std::size_t features, const double* w, double* margins) {
  for (std::size_t row = 0; row < rows; ++row) margins[row] = dot(dense + row * features, w, features);
}

void accumulate(const double* coefficients, const float* dense, std::size_t rows, std::size_t features, double* g) {
  for (std::size_t row = 0; row < rows; ++row) {
    const float* x = dense + row * features;
    const double coefficient = coefficients[row];
#pragma omp simd
    for (std::size_t i = 0; i < features; ++i) g[i] += coefficient * static_cast<double>(x[i]);
  }
}

void logistic_slopes(const double* margins, std::size_t n, double* slopes) {
  for (std::size_t i = 0; i < n; ++i) slopes[i] = -1.0 / (1.0 + std::exp(margins[i]));
}

}  // namespace sotto::bench::by_hand
