// Included once for each instruction set (kernels.cpp): the kernels that change a vector. Each coordinate is rounded
// after the multiplication and after the addition; no order between coordinates exists.
#if defined(SOTTO_LINALG_UPDATE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SOTTO_LINALG_UPDATE_INL
#undef SOTTO_LINALG_UPDATE_INL
#else
#define SOTTO_LINALG_UPDATE_INL
#endif

#include "hwy/cache_control.h"
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

void axpy_float(double a, const float* x, double* w, std::size_t n) noexcept {
  sweep(Doubles(), Axpy<float>{a, x, w}, 0, n);
}
void axpy_double(double a, const double* x, double* w, std::size_t n) noexcept {
  sweep(Doubles(), Axpy<double>{a, x, w}, 0, n);
}
void scale(double a, double* w, std::size_t n) noexcept { sweep(Doubles(), Scale{a, w}, 0, n); }
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
};

/// While these rows come from the cache, asks the memory for the ones behind them: probably the next block. If there
/// are none nothing happens; a prefetch never faults.
template <std::size_t kCount>
HWY_INLINE void fetch_next_block(const float* x) {
  constexpr std::size_t kLine = 64 / sizeof(float);
#pragma GCC unroll 16
  for (std::size_t i = 0; i + kLine <= kCount; i += kLine) hwy::Prefetch(x + i);
}

/// Adds every row to kVectors vectors of columns that stay in registers.
template <std::size_t kVectors, class D>
HWY_INLINE void add_rows(D d, const Columns& columns) {
  constexpr std::size_t width = hn::MaxLanes(d);
  hn::Vec<D> sums[kVectors];
#pragma GCC unroll 16
  for (std::size_t v = 0; v < kVectors; ++v) sums[v] = hn::LoadU(d, columns.g + v * width);
  const float* x = columns.dense;
  for (std::size_t row = 0; row < columns.rows; ++row, x += columns.stride) {
    const auto coefficient = hn::Set(d, columns.coefficients[row]);
    fetch_next_block<kVectors * width>(x + columns.rows * columns.stride);
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kVectors; ++v) {
      sums[v] = hn::Add(sums[v], hn::Mul(coefficient, load(d, x + v * width)));
    }
  }
#pragma GCC unroll 16
  for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(sums[v], d, columns.g + v * width);
}

HWY_INLINE Columns skip(const Columns& columns, std::size_t count) {
  Columns rest = columns;
  rest.dense += count;
  rest.g += count;
  return rest;
}

/// The last columns, fewer than lanes of twice the tag: one vector of each smaller size that is needed.
template <class D>
HWY_INLINE void add_last_columns(D d, Columns columns, std::size_t n) {
  constexpr std::size_t width = hn::MaxLanes(d);
  if (n >= width) {
    add_rows<1>(d, columns);
    columns = skip(columns, width);
    n -= width;
  }
  if constexpr (width > 1) add_last_columns(hn::Half<D>(), columns, n);
}

void accumulate(const double* coefficients, const float* dense, std::size_t rows, std::size_t features,
                double* g) noexcept {
  const Doubles d;
  Columns columns{coefficients, dense, rows, features, g};
  std::size_t n = features;
  for (; n >= 8 * kWidth; n -= 8 * kWidth, columns = skip(columns, 8 * kWidth)) add_rows<8>(d, columns);
  switch (n / kWidth) {
    case 7: add_rows<7>(d, columns); break;
    case 6: add_rows<6>(d, columns); break;
    case 5: add_rows<5>(d, columns); break;
    case 4: add_rows<4>(d, columns); break;
    case 3: add_rows<3>(d, columns); break;
    case 2: add_rows<2>(d, columns); break;
    case 1: add_rows<1>(d, columns); break;
    default: break;
  }
  const std::size_t done = n / kWidth * kWidth;
  if constexpr (kWidth > 1) add_last_columns(hn::Half<Doubles>(), skip(columns, done), n - done);
}

}  // namespace sotto::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
