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

struct Scale {
  double a;
  double* w;
  template <class D>
  HWY_INLINE void operator()(D d, std::size_t i) const {
    hn::StoreU(hn::Mul(hn::Set(d, a), hn::LoadU(d, w + i)), d, w + i);
  }
};

struct AddExactly {
  const double* x;
  double* high;
  double* low;
  template <class D>
  HWY_INLINE void operator()(D d, std::size_t i) const {
    const auto value = hn::LoadU(d, x + i), before = hn::LoadU(d, high + i);
    const auto sum = hn::Add(before, value);
    const auto part = hn::Sub(sum, before);
    const auto error = hn::Add(hn::Sub(before, hn::Sub(sum, part)), hn::Sub(value, part));
    hn::StoreU(hn::Add(hn::LoadU(d, low + i), error), d, low + i);
    hn::StoreU(sum, d, high + i);
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
void add_exactly(const double* x, double* high, double* low, std::size_t n) noexcept {
  sweep(Doubles(), AddExactly{x, high, low}, 0, n);
}
void step_float(double decay, double size, const float* x, double* w, std::size_t n) noexcept {
  sweep(Doubles(), Step<float>{decay, size, x, w}, 0, n);
}
void step_double(double decay, double size, const double* g, double* w, std::size_t n) noexcept {
  sweep(Doubles(), Step<double>{decay, size, g, w}, 0, n);
}

/// Rows and the sum they are added to, for a range of columns; `stride` is the length of a whole row.
struct Columns {
  const double* coefficients;
  const float* dense;
  std::size_t rows;
  std::size_t stride;
  double* g;
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
template <bool kShort, std::size_t kVectors>
HWY_INLINE void add_rows(const Columns& columns, std::size_t tail) {
  const Doubles d;
  constexpr std::size_t kTail = kVectors * kWidth;
  Vector sums[kVectors + 1];
#pragma GCC unroll 16
  for (std::size_t v = 0; v < kVectors; ++v) sums[v] = hn::LoadU(d, columns.g + v * kWidth);
  sums[kVectors] = load_first(d, columns.g + kTail, tail);
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
      sums[v] = hn::Add(sums[v], hn::Mul(coefficient, load(d, x + v * kWidth)));
    }
    if (tail == 0) continue;
    sums[kVectors] = hn::Add(sums[kVectors], hn::Mul(coefficient, load_first(d, x + kTail, tail)));
  }
#pragma GCC unroll 16
  for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(sums[v], d, columns.g + v * kWidth);
  store_first(d, sums[kVectors], columns.g + kTail, tail);
}

template <bool kShort>
HWY_INLINE void add_all(Columns columns) {
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

void accumulate(const double* coefficients, const float* dense, std::size_t rows, std::size_t features,
                double* g) noexcept {
  const Columns columns{coefficients, dense, rows, features, g, dense + rows * (features + fetched_with(features))};
  features < kLongRow ? add_all<true>(columns) : add_all<false>(columns);
}

}  // namespace sotto::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
