#pragma once
#include <cstddef>
#include <cstdint>

/// The arithmetic of the library: float32 rows against binary64 weights. The only CPU dispatch.
///
/// Every kernel has one fixed order of additions, the same on every x86-64 level (SSE2 to AVX-512, no fused
/// multiply-add): a dot product keeps kLanes partial sums that start at +0, element i goes to lane i mod kLanes, and
/// the lanes are added as a balanced tree: those 8 apart, then 4, 2, 1. In a sparse dot product i counts the stored
/// entries. Float32 is promoted before it is multiplied. Equal inputs give equal bits on every CPU, in every engine,
/// for any blocking of the rows.
namespace sotto::kernels {

inline constexpr std::size_t kLanes = 16;
/// Rows of at least this many features are read one after the other. Reading several at a time would need more streams
/// than memory serves well, and one stream keeps it busy.
inline constexpr std::size_t kLongRow = 256;

double dot(const float* x, const double* w, std::size_t n) noexcept;
double dot(const double* x, const double* w, std::size_t n) noexcept;
/// Sparse: sum of values[i] * w[columns[i]].
double dot(const std::uint32_t* columns, const float* values, std::size_t count, const double* w) noexcept;

/// w += a * x
void axpy(double a, const float* x, double* w, std::size_t n) noexcept;
void axpy(double a, const double* x, double* w, std::size_t n) noexcept;
void axpy(double a, const std::uint32_t* columns, const float* values, std::size_t count, double* w) noexcept;

/// w *= a
void scale(double a, double* w, std::size_t n) noexcept;
/// sums += the integers next to a * x, ties to even, each product rounded to binary64 first. An integer is a function of
/// its product alone: whatever else is summed, in whatever order, blocks or lanes. Products are at most kMostRounded
/// (rounded.h).
void add_rounded(double a, const double* x, std::int64_t* sums, std::size_t n) noexcept;
void add_rounded(double a, const std::uint32_t* columns, const float* values, std::size_t count,
                 std::int64_t* sums) noexcept;
/// w = decay * w - step * g, each coordinate rounded as (decay*w) - (step*g)
void step(double decay, double step, const double* g, double* w, std::size_t n) noexcept;
void step(double decay, double step, const float* x, double* w, std::size_t n) noexcept;

/// values = grid * rint(values / grid) + noise, for a power of two `grid` and noise on it; ties to even. Values beyond
/// 2^50 grid steps become the end of that range, and so does a NaN. Exact where noise is below 2^52 steps.
void add_on_grid(double grid, const double* noise, double* values, std::size_t n) noexcept;
/// A step with a sum that is put on a grid and noised first.
struct NoisyStep {
  double decay;
  double size;
  double grid;
  const double* noise;
};
/// w = decay * w - size * (the sum as add_on_grid() makes it), in one sweep.
void step_on_grid(const NoisyStep& step, const double* sum, double* w, std::size_t n) noexcept;
/// coefficient * x
struct RowTerm {
  double coefficient;
  const float* x;
};
/// The same with the sum of a single row, which is never stored.
void step_row_on_grid(const NoisyStep& step, const RowTerm& row, double* w, std::size_t n) noexcept;
/// out = a * x
void scaled(double a, const float* x, double* out, std::size_t n) noexcept;
/// out = a * k; exact for integers below 2^53 and a power of two.
void scale_integers(double a, const std::int64_t* k, double* out, std::size_t n) noexcept;

double squared_norm(const double* x, std::size_t n) noexcept;
double squared_norm(const float* x, std::size_t n) noexcept;
double norm(const double* x, std::size_t n) noexcept;
double norm(const float* x, std::size_t n) noexcept;
/// At least the exact norm, for any n, unless squares underflow: norm() rounds at most n/16 + 6 times on the way to
/// each term of the sum, and a root halves what that loses.
double norm_at_least(const double* x, std::size_t n) noexcept;
double norm_at_least(const float* x, std::size_t n) noexcept;

/// margins[i] = dot(row i, w) for `rows` contiguous dense rows; the same bits as dot() row by row.
void dots(const float* dense, std::size_t rows, std::size_t features, const double* w, double* margins) noexcept;
/// g += sum_i coefficients[i] * row i, rows added in ascending order for each coordinate: the same bits as axpy()
/// row by row.
void accumulate(const double* coefficients, const float* dense, std::size_t rows, std::size_t features,
                double* g) noexcept;

/// Contiguous dense rows.
struct DenseRows {
  const float* dense;
  std::size_t rows;
  std::size_t features;
};
/// out[k * stride + i] = dot(row i, w + k * features) for every output k: the same bits as dot(), if w is finite.
void dots_of_outputs(const DenseRows& rows, const double* w, std::size_t outputs, double* out,
                     std::size_t stride) noexcept;
/// The numbers at g + k * features += sum_i coefficients[k * stride + i] * row i for every output k, rows in ascending
/// order: the same bits as axpy() row by row, if coefficients are finite and g has no -0.
void accumulate_outputs(const double* coefficients, std::size_t stride, const DenseRows& rows, std::size_t outputs,
                        double* g) noexcept;
/// The same two sums of the integers next to coefficient * value, as add_rounded() has them.
void accumulate_rounded(const double* coefficients, const DenseRows& rows, std::int64_t* sums) noexcept;
void accumulate_outputs_rounded(const double* coefficients, std::size_t stride, const DenseRows& rows,
                                std::size_t outputs, std::int64_t* sums) noexcept;

/// values[i] = ln(1 + exp(-margins[i])), the logistic loss: the bits of logistic_value() in exp.h. `values` may be
/// `margins`.
void logistic_values(const double* margins, std::size_t n, double* values) noexcept;
/// slopes[i] = -1/(1 + exp(margins[i])), the derivative of the logistic loss: the bits of logistic_slope() in exp.h.
/// `slopes` may be `margins`.
void logistic_slopes(const double* margins, std::size_t n, double* slopes) noexcept;

/// The scores of some rows for several classes, that of row i for class k at scores[k * stride + i], and the rows'
/// classes, as whole numbers below `classes`.
struct ClassScores {
  double* scores;
  std::size_t stride;
  std::size_t rows;
  std::size_t classes;
  const double* labels;
};
/// The softmax loss of row i is then where its score for class 0 was: the bits of Softmax::value().
void softmax_values(const ClassScores& block) noexcept;
/// The derivatives of the loss are then where the scores were: the bits of Softmax::slopes().
void softmax_slopes(const ClassScores& block) noexcept;

/// The name of the instruction set in use, e.g. "AVX3".
const char* target_name() noexcept;

}  // namespace sotto::kernels
