#pragma once
#include <cstddef>

/// Arithmetic on weights that are pairs high + low of binary64 numbers, |low| at most one unit 2^-53 of |high|.
/// Plain loops without fused operations: the same bits on every CPU.
namespace sotto::compensated {

/// A vector of such pairs.
struct Pairs {
  double* high;
  double* low;
};

/// w -= shrink * w + size * g. The subtracted number is rounded, the subtraction is not, but for 4 units of 2^-106 of w.
void step(double shrink, double size, const double* g, Pairs w, std::size_t n) noexcept;
/// sum += a * x, where each product is rounded and its addition is not, as above.
void axpy(double a, const double* x, Pairs sum, std::size_t n) noexcept;
/// The dot product with a row, rounded once at the end: off by at most dot_units(n) units of 2^-53 of |x||w|.
double dot(const float* x, const double* high, const double* low, std::size_t n) noexcept;
double dot_units(std::size_t n) noexcept;

}  // namespace sotto::compensated
