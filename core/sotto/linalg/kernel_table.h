#pragma once
#include <cstddef>
#include <cstdint>

#include "sotto/linalg/crossings.h"
#include "sotto/linalg/kernels.h"

namespace sotto::kernels {

/// One instruction set's form of every dispatched kernel. The contracts are those of kernels.h.
struct KernelTable {
  const char* name;
  double (*dot_float)(const float* x, const double* w, std::size_t n) noexcept;
  double (*dot_double)(const double* x, const double* w, std::size_t n) noexcept;
  double (*squared_norm_float)(const float* x, std::size_t n) noexcept;
  double (*dot_sparse)(const std::uint32_t* columns, const float* values, std::size_t count, const double* w) noexcept;
  void (*axpy_float)(double a, const float* x, double* w, std::size_t n) noexcept;
  void (*axpy_double)(double a, const double* x, double* w, std::size_t n) noexcept;
  void (*scale)(double a, double* w, std::size_t n) noexcept;
  void (*add_rounded)(double a, const double* x, std::int64_t* sums, std::size_t n) noexcept;
  void (*step_float)(double decay, double step, const float* x, double* w, std::size_t n) noexcept;
  void (*step_double)(double decay, double step, const double* g, double* w, std::size_t n) noexcept;
  void (*add_on_grid)(double grid, const double* noise, double* values, std::size_t n) noexcept;
  void (*step_on_grid)(const NoisyStep& step, const double* sum, double* w, std::size_t n) noexcept;
  void (*step_row_on_grid)(const NoisyStep& step, const RowTerm& row, double* w, std::size_t n) noexcept;
  void (*scaled)(double a, const float* x, double* out, std::size_t n) noexcept;
  void (*scale_integers)(double a, const std::int64_t* k, double* out, std::size_t n) noexcept;
  void (*dots)(const float* dense, std::size_t rows, std::size_t features, const double* w, double* margins) noexcept;
  void (*accumulate)(const double* coefficients, const DenseRows& rows, double* g) noexcept;
  void (*accumulate_rounded)(const double* coefficients, const DenseRows& rows, std::int64_t* sums) noexcept;
  void (*dots_of_outputs)(const DenseRows& rows, const double* w, std::size_t outputs, double* out,
                          std::size_t stride) noexcept;
  void (*accumulate_outputs)(const double* coefficients, std::size_t stride, const DenseRows& rows, std::size_t outputs,
                             double* g) noexcept;
  void (*accumulate_outputs_rounded)(const double* coefficients, std::size_t stride, const DenseRows& rows,
                                     std::size_t outputs, std::int64_t* sums) noexcept;
  void (*count_right)(const Children& children, const TransposedRows& rows, double* lanes,
                      std::uint32_t* right) noexcept;
  void (*logistic_values)(const double* margins, std::size_t n, double* values) noexcept;
  void (*logistic_slopes)(const double* margins, std::size_t n, double* slopes) noexcept;
  void (*softmax_values)(const ClassScores& block) noexcept;
  void (*softmax_slopes)(const ClassScores& block) noexcept;
};

}  // namespace sotto::kernels
