#include "sotto/linalg/kernels.h"

#include <atomic>
#include <cmath>

#include "sotto/linalg/crossings.h"
#include "sotto/linalg/kernel_table.h"
#include "sotto/linalg/rounded.h"
#include "sotto/linalg/targets.h"

// GCC 12 takes the undefined operand inside its own AVX-512 intrinsics for an uninitialised variable of ours.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sotto/linalg/kernels.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "sotto/linalg/crossings.inl"
#include "sotto/linalg/dot.inl"
#include "sotto/linalg/logistic.inl"
#include "sotto/linalg/outputs.inl"
#include "sotto/linalg/softmax.inl"
#include "sotto/linalg/sparse.inl"
#include "sotto/linalg/update.inl"

HWY_BEFORE_NAMESPACE();
namespace sotto::kernels::HWY_NAMESPACE {

const KernelTable* table() {
  static constexpr KernelTable kTable{
      .name = &HWY_STR(HWY_NAMESPACE)[2],  // without the N_ of the namespace
      .dot_float = dot_float,
      .dot_double = dot_double,
      .squared_norm_float = squared_norm_float,
      .dot_sparse = dot_sparse,
      .axpy_float = axpy_float,
      .axpy_double = axpy_double,
      .scale = scale,
      .add_rounded = add_rounded_double,
      .step_float = step_float,
      .step_double = step_double,
      .add_on_grid = add_on_grid,
      .step_on_grid = step_on_grid,
      .step_row_on_grid = step_row_on_grid,
      .scaled = scaled,
      .scale_integers = scale_integers,
      .dots = dots,
      .accumulate = accumulate,
      .accumulate_rounded = accumulate_rounded,
      .dots_of_outputs = dots_of_outputs,
      .accumulate_outputs = accumulate_outputs,
      .accumulate_outputs_rounded = accumulate_outputs_rounded,
      .count_right = count_right,
      .logistic_values = logistic_values,
      .logistic_slopes = logistic_slopes,
      .softmax_values = softmax_values,
      .softmax_slopes = softmax_slopes,
  };
  return &kTable;
}

}  // namespace sotto::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto::kernels {
namespace {

HWY_EXPORT(table);

/// The table of the best instruction set among `targets`, a set of Highway's target bits.
const KernelTable* table_of(std::int64_t targets) noexcept {
  hwy::ChosenTarget chosen;
  chosen.Update(targets);
  return HWY_DISPATCH_TABLE(table)[chosen.GetIndex()]();
}

std::atomic<const KernelTable*> g_active{nullptr};

const KernelTable* choose() noexcept {
  const KernelTable* best = table_of(hwy::SupportedTargets());
  g_active.store(best, std::memory_order_relaxed);
  return best;
}

/// A load, a test and one indirect call a kernel: Highway's own dispatch adds a call into its shared library.
inline const KernelTable& active() noexcept {
  const KernelTable* table = g_active.load(std::memory_order_relaxed);
  return table != nullptr ? *table : *choose();
}

}  // namespace

double dot(const float* x, const double* w, std::size_t n) noexcept { return active().dot_float(x, w, n); }
double dot(const double* x, const double* w, std::size_t n) noexcept { return active().dot_double(x, w, n); }
double dot(const std::uint32_t* columns, const float* values, std::size_t count, const double* w) noexcept {
  return active().dot_sparse(columns, values, count, w);
}

void axpy(double a, const float* x, double* w, std::size_t n) noexcept { active().axpy_float(a, x, w, n); }
void axpy(double a, const double* x, double* w, std::size_t n) noexcept { active().axpy_double(a, x, w, n); }
/// The same on every CPU: what it does most is to load and store single numbers.
void axpy(double a, const std::uint32_t* columns, const float* values, std::size_t count, double* w) noexcept {
#pragma GCC unroll 4
  for (std::size_t i = 0; i < count; ++i) w[columns[i]] += a * static_cast<double>(values[i]);
}

void scale(double a, double* w, std::size_t n) noexcept { active().scale(a, w, n); }
void add_rounded(double a, const double* x, std::int64_t* sums, std::size_t n) noexcept {
  active().add_rounded(a, x, sums, n);
}
/// As axpy() of a sparse row.
void add_rounded(double a, const std::uint32_t* columns, const float* values, std::size_t count,
                 std::int64_t* sums) noexcept {
#pragma GCC unroll 4
  for (std::size_t i = 0; i < count; ++i) sums[columns[i]] += rounded(a * static_cast<double>(values[i]));
}
void step(double decay, double step, const double* g, double* w, std::size_t n) noexcept {
  active().step_double(decay, step, g, w, n);
}
void step(double decay, double step, const float* x, double* w, std::size_t n) noexcept {
  active().step_float(decay, step, x, w, n);
}

void add_on_grid(double grid, const double* noise, double* values, std::size_t n) noexcept {
  active().add_on_grid(grid, noise, values, n);
}
void step_on_grid(const NoisyStep& step, const double* sum, double* w, std::size_t n) noexcept {
  active().step_on_grid(step, sum, w, n);
}
void step_row_on_grid(const NoisyStep& step, const RowTerm& row, double* w, std::size_t n) noexcept {
  active().step_row_on_grid(step, row, w, n);
}
void scaled(double a, const float* x, double* out, std::size_t n) noexcept { active().scaled(a, x, out, n); }
void scale_integers(double a, const std::int64_t* k, double* out, std::size_t n) noexcept {
  active().scale_integers(a, k, out, n);
}

namespace {

double norm_allowance(std::size_t n) noexcept { return 1 + 0x1p-53 * (static_cast<double>(n) + 16); }

}  // namespace

double squared_norm(const double* x, std::size_t n) noexcept { return active().dot_double(x, x, n); }
double squared_norm(const float* x, std::size_t n) noexcept { return active().squared_norm_float(x, n); }
double norm(const double* x, std::size_t n) noexcept { return std::sqrt(squared_norm(x, n)); }
double norm(const float* x, std::size_t n) noexcept { return std::sqrt(squared_norm(x, n)); }
double norm_at_least(const double* x, std::size_t n) noexcept { return norm(x, n) * norm_allowance(n); }
double norm_at_least(const float* x, std::size_t n) noexcept { return norm(x, n) * norm_allowance(n); }

void dots(const float* dense, std::size_t rows, std::size_t features, const double* w, double* margins) noexcept {
  active().dots(dense, rows, features, w, margins);
}
void accumulate(const double* coefficients, const float* dense, std::size_t rows, std::size_t features,
                double* g) noexcept {
  active().accumulate(coefficients, {dense, rows, features}, g);
}
void accumulate_rounded(const double* coefficients, const DenseRows& rows, std::int64_t* sums) noexcept {
  active().accumulate_rounded(coefficients, rows, sums);
}
void dots_of_outputs(const DenseRows& rows, const double* w, std::size_t outputs, double* out,
                     std::size_t stride) noexcept {
  active().dots_of_outputs(rows, w, outputs, out, stride);
}
void accumulate_outputs(const double* coefficients, std::size_t stride, const DenseRows& rows, std::size_t outputs,
                        double* g) noexcept {
  active().accumulate_outputs(coefficients, stride, rows, outputs, g);
}
void accumulate_outputs_rounded(const double* coefficients, std::size_t stride, const DenseRows& rows,
                                std::size_t outputs, std::int64_t* sums) noexcept {
  active().accumulate_outputs_rounded(coefficients, stride, rows, outputs, sums);
}
void count_right(const Children& children, const TransposedRows& rows, double* lanes, std::uint32_t* right) noexcept {
  active().count_right(children, rows, lanes, right);
}
void logistic_values(const double* margins, std::size_t n, double* values) noexcept {
  active().logistic_values(margins, n, values);
}
void logistic_slopes(const double* margins, std::size_t n, double* slopes) noexcept {
  active().logistic_slopes(margins, n, slopes);
}
void softmax_values(const ClassScores& block) noexcept { active().softmax_values(block); }
void softmax_slopes(const ClassScores& block) noexcept { active().softmax_slopes(block); }

const char* target_name() noexcept { return active().name; }

std::vector<std::string> available_targets() {
  std::vector<std::string> names;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) names.emplace_back(table_of(target)->name);
  return names;
}

bool use_target(std::string_view name) {
  if (name.empty()) {
    choose();
    return true;
  }
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const KernelTable* table = table_of(target);
    if (name == table->name) {
      g_active.store(table, std::memory_order_relaxed);
      return true;
    }
  }
  return false;
}

}  // namespace sotto::kernels
#endif
