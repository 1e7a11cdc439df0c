// Included once for each instruction set (kernels.cpp): the kernels that change a vector. Each coordinate is rounded
// after the multiplication and after the addition; no order between coordinates exists.
#if defined(SOTTO_LINALG_UPDATE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SOTTO_LINALG_UPDATE_INL
#undef SOTTO_LINALG_UPDATE_INL
#else
#define SOTTO_LINALG_UPDATE_INL
#endif

#include "hwy/cache_control.h"
#include "sotto/linalg/kernels.h"
#include "sotto/linalg/simd.inl"

HWY_BEFORE_NAMESPACE();
namespace sotto::kernels::HWY_NAMESPACE {

template <class X>
struct Axpy {
  double a;
  const X* x;
  double* w;
  template <class D>
  HWY_INLINE void operator()(D d, std::size_t i) const {
    hn::StoreU(hn::Add(hn::LoadU(d, w + i), hn::Mul(hn::Set(d, a), load(d, x + i))), d, w + i);
  }
};

template <class X>
struct AddRounded {
  double a;
  const X* x;
  std::int64_t* sums;
  template <class D>
  HWY_INLINE void operator()(D d, std::size_t i) const {
    const Rounded::Tag<D> integers;
    const auto sum = Rounded::add(d, hn::LoadU(integers, sums + i), hn::Mul(hn::Set(d, a), load(d, x + i)));
    hn::StoreU(Rounded::finish(d, sum, 1), integers, sums + i);
  }
};

struct Scale {
  double a;
  double* w;
  template <class D>
  HWY_INLINE void operator()(D d, std::size_t i) const {
    hn::StoreU(hn::Mul(hn::Set(d, a), hn::LoadU(d, w + i)), d, w + i);
  }
};

template <class X>
struct Step {
  double decay;
  double size;
  const X* x;
  double* w;
  template <class D>
  HWY_INLINE void operator()(D d, std::size_t i) const {
    const auto kept = hn::Mul(hn::Set(d, decay), hn::LoadU(d, w + i));
    hn::StoreU(hn::Sub(kept, hn::Mul(hn::Set(d, size), load(d, x + i))), d, w + i);
  }
};

/// The larger, and `low` if `value` is NaN.
template <class D, class V>
HWY_INLINE V at_least([[maybe_unused]] D d, V value, V low) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  return hn::Max(value, low);  // the instruction takes its second operand unless the first is larger
#else
  return hn::IfThenElse(hn::Gt(value, low), value, low);
#endif
}

/// Adding and subtracting 1.5 * 2^52 grid steps rounds a value of at most 2^50 steps to the grid.
struct OnGrid {
  explicit OnGrid(double grid) : limit(0x1p50 * grid), rounder(0x1.8p52 * grid) {}
  double limit;
  double rounder;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V value) const {
    const auto above = at_least(d, value, hn::Set(d, -limit));  // no NaN any more
    const auto inside = hn::Min(above, hn::Set(d, limit));
    const auto shift = hn::Set(d, rounder);
    return hn::Sub(hn::Add(inside, shift), shift);
  }
};

/// A sum put on a grid, and noise on it.
struct GridNoised {
  OnGrid on_grid;
  const double* noise;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V sum, std::size_t i) const {
    return hn::Add(on_grid(d, sum), hn::LoadU(d, noise + i));
  }
};

struct AddOnGrid {
  GridNoised noised;
  double* values;
  template <class D>
  HWY_INLINE void operator()(D d, std::size_t i) const {
    hn::StoreU(noised(d, hn::LoadU(d, values + i), i), d, values + i);
  }
};

struct NoisedStep {
  double decay;
  double size;
  GridNoised noised;
  const double* sum;
  double* w;
  template <class D>
  HWY_INLINE void operator()(D d, std::size_t i) const {
    const auto noisy_sum = noised(d, hn::LoadU(d, sum + i), i);
    const auto kept = hn::Mul(hn::Set(d, decay), hn::LoadU(d, w + i));
    hn::StoreU(hn::Sub(kept, hn::Mul(hn::Set(d, size), noisy_sum)), d, w + i);
  }
};

/// The sum is a multiple of one row: it is made on the way, with the same roundings.
struct NoisedRowStep {
  double decay;
  double size;
  GridNoised noised;
  RowTerm row;
  double* w;
  template <class D>
  HWY_INLINE void operator()(D d, std::size_t i) const {
    const auto sum = hn::Mul(hn::Set(d, row.coefficient), load(d, row.x + i));
    const auto noisy_sum = noised(d, sum, i);
    const auto kept = hn::Mul(hn::Set(d, decay), hn::LoadU(d, w + i));
    hn::StoreU(hn::Sub(kept, hn::Mul(hn::Set(d, size), noisy_sum)), d, w + i);
  }
};

struct Scaled {
  double a;
  const float* x;
  double* out;
  template <class D>
  HWY_INLINE void operator()(D d, std::size_t i) const {
    hn::StoreU(hn::Mul(hn::Set(d, a), load(d, x + i)), d, out + i);
  }
};

struct ScaleIntegers {
  double a;
  const std::int64_t* k;
  double* out;
  template <class D>
  HWY_INLINE void operator()(D d, std::size_t i) const {
    const hn::Rebind<std::int64_t, D> integers;
    hn::StoreU(hn::Mul(hn::Set(d, a), hn::ConvertTo(d, hn::LoadU(integers, k + i))), d, out + i);
  }
};

void add_on_grid(double grid, const double* noise, double* values, std::size_t n) noexcept {
  sweep(Doubles(), AddOnGrid{{OnGrid(grid), noise}, values}, 0, n);
}
void step_on_grid(const NoisyStep& step, const double* sum, double* w, std::size_t n) noexcept {
  const GridNoised noised{OnGrid(step.grid), step.noise};
  sweep(Doubles(), NoisedStep{step.decay, step.size, noised, sum, w}, 0, n);
}
void step_row_on_grid(const NoisyStep& step, const RowTerm& row, double* w, std::size_t n) noexcept {
  const GridNoised noised{OnGrid(step.grid), step.noise};
  sweep(Doubles(), NoisedRowStep{step.decay, step.size, noised, row, w}, 0, n);
}
void scaled(double a, const float* x, double* out, std::size_t n) noexcept {
  sweep(Doubles(), Scaled{a, x, out}, 0, n);
}
void scale_integers(double a, const std::int64_t* k, double* out, std::size_t n) noexcept {
  sweep(Doubles(), ScaleIntegers{a, k, out}, 0, n);
}

void axpy_float(double a, const float* x, double* w, std::size_t n) noexcept {
  sweep(Doubles(), Axpy<float>{a, x, w}, 0, n);
}
void axpy_double(double a, const double* x, double* w, std::size_t n) noexcept {
  sweep(Doubles(), Axpy<double>{a, x, w}, 0, n);
}
void scale(double a, double* w, std::size_t n) noexcept { sweep(Doubles(), Scale{a, w}, 0, n); }
void add_rounded_float(double a, const float* x, std::int64_t* sums, std::size_t n) noexcept {
  sweep(Doubles(), AddRounded<float>{a, x, sums}, 0, n);
}
void add_rounded_double(double a, const double* x, std::int64_t* sums, std::size_t n) noexcept {
  sweep(Doubles(), AddRounded<double>{a, x, sums}, 0, n);
}
void step_float(double decay, double size, const float* x, double* w, std::size_t n) noexcept {
  sweep(Doubles(), Step<float>{decay, size, x, w}, 0, n);
}
void step_double(double decay, double size, const double* g, double* w, std::size_t n) noexcept {
  sweep(Doubles(), Step<double>{decay, size, g, w}, 0, n);
}

/// Rows and the sum they are added to, for a range of columns; `stride` is the length of a whole row.
template <class How>
struct Columns {
  const double* coefficients;
  const float* dense;
  std::size_t rows;
  std::size_t stride;
  typename How::Number* g;
  const float* ahead;  // long rows: behind them, from where to fetch half as many numbers as are added
};

/// While these rows come from the cache, asks the memory for the ones behind them: probably the next block. If there
/// are none nothing happens; a prefetch never faults.
template <std::size_t kCount>
HWY_INLINE void fetch_next_block(const float* x) {
#pragma GCC unroll 16
  for (std::size_t i = 0; i + kLine <= kCount; i += kLine) hwy::Prefetch(x + i);
}

/// Adds every row to kVectors vectors of columns, and to `tail` < kWidth columns behind them, all held in registers.
/// The next rows are fetched meanwhile, as they are short or long.
template <bool kShort, std::size_t kVectors, class How>
HWY_INLINE void add_rows(const Columns<How>& columns, std::size_t tail) {
  const Doubles d;
  const typename How::template Tag<Doubles> numbers;
  constexpr std::size_t kTail = kVectors * kWidth;
  hn::Vec<typename How::template Tag<Doubles>> sums[kVectors + 1];
#pragma GCC unroll 16
  for (std::size_t v = 0; v < kVectors; ++v) sums[v] = hn::LoadU(numbers, columns.g + v * kWidth);
  sums[kVectors] = load_first(numbers, columns.g + kTail, tail);
  const float* x = columns.dense;
  for (std::size_t row = 0; row < columns.rows; ++row, x += columns.stride) {
    const Vector coefficient = hn::Set(d, columns.coefficients[row]);
    if constexpr (kShort) {
      fetch_next_block<kTail>(x + columns.rows * columns.stride);
    } else {
      fetch_ahead<kTail / 2>(columns.ahead + row * (kTail / 2));
    }
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kVectors; ++v) {
      sums[v] = How::add(d, sums[v], hn::Mul(coefficient, load(d, x + v * kWidth)));
    }
    if (tail == 0) continue;
    sums[kVectors] = How::add(d, sums[kVectors], hn::Mul(coefficient, load_first(d, x + kTail, tail)));
  }
#pragma GCC unroll 16
  for (std::size_t v = 0; v < kVectors; ++v) {
    hn::StoreU(How::finish(d, sums[v], columns.rows), numbers, columns.g + v * kWidth);
  }
  store_first(numbers, How::finish(d, sums[kVectors], columns.rows), columns.g + kTail, tail);
}

template <bool kShort, class How>
HWY_INLINE void add_all(Columns<How> columns) {
  constexpr std::size_t kChunk = 8 * kWidth;
  std::size_t n = columns.stride;
  for (; n >= kChunk; n -= kChunk, columns.dense += kChunk, columns.g += kChunk) {
    add_rows<kShort, 8>(columns, 0);
    columns.ahead += columns.rows * (kChunk / 2);
  }
  switch (n / kWidth) {
    case 7: return add_rows<kShort, 7>(columns, n % kWidth);
    case 6: return add_rows<kShort, 6>(columns, n % kWidth);
    case 5: return add_rows<kShort, 5>(columns, n % kWidth);
    case 4: return add_rows<kShort, 4>(columns, n % kWidth);
    case 3: return add_rows<kShort, 3>(columns, n % kWidth);
    case 2: return add_rows<kShort, 2>(columns, n % kWidth);
    case 1: return add_rows<kShort, 1>(columns, n % kWidth);
    default: return add_rows<kShort, 0>(columns, n % kWidth);
  }
}

template <class How>
HWY_INLINE void accumulate_as(const double* coefficients, const DenseRows& rows, typename How::Number* g) {
  const float* behind = rows.dense + rows.rows * (rows.features + fetched_with(rows.features));
  const Columns<How> columns{coefficients, rows.dense, rows.rows, rows.features, g, behind};
  rows.features < kLongRow ? add_all<true>(columns) : add_all<false>(columns);
}
void accumulate(const double* coefficients, const DenseRows& rows, double* g) noexcept {
  accumulate_as<Plain>(coefficients, rows, g);
}
void accumulate_rounded(const double* coefficients, const DenseRows& rows, std::int64_t* sums) noexcept {
  accumulate_as<Rounded>(coefficients, rows, sums);
}

}  // namespace sotto::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
