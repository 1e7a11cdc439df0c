#pragma once
#include "runner.h"

namespace sotto::bench {

/// One batch of 50 rows of 50 numbers, in the first-level cache, over and over: each kernel against a plain loop.
Task kernels_task();

namespace by_hand {
double dot(const float* x, const double* w, std::size_t n);
void dots(const float* dense, std::size_t rows, std::size_t features, const double* w, double* margins);
void accumulate(const double* coefficients, const float* dense, std::size_t rows, std::size_t features, double* g);
void logistic_slopes(const double* margins, std::size_t n, double* slopes);
}  // namespace by_hand

}  // namespace sotto::bench
