// Included once for each instruction set (kernels.cpp): dot products in the order of additions that kernels.h states.
// Padding a tail with zeros changes no bit: a lane starts at +0 and can never become -0, so adding 0 keeps it.
#if defined(SOTTO_LINALG_DOT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SOTTO_LINALG_DOT_INL
#undef SOTTO_LINALG_DOT_INL
#else
#define SOTTO_LINALG_DOT_INL
#endif

#include "sotto/linalg/kernels.h"
#include "sotto/linalg/simd.inl"

HWY_BEFORE_NAMESPACE();
namespace sotto::kernels::HWY_NAMESPACE {

/// The kLanes partial sums of one row: lane l is element l % kWidth of vector l / kWidth.
inline constexpr std::size_t kParts = kLanes / kWidth;

/// Adds kLanes columns to the partial sums of kRows rows that are `stride` numbers apart.
template <std::size_t kRows, class X, class W>
HWY_INLINE void add_lanes(const X* x, std::size_t stride, const W* w, Vector (&sums)[kRows][kParts]) {
  const Doubles d;
#pragma GCC unroll 16
  for (std::size_t part = 0; part < kParts; ++part) {
    const Vector weights = load(d, w + part * kWidth);
#pragma GCC unroll 16
    for (std::size_t row = 0; row < kRows; ++row) {
      const Vector values = load(d, x + row * stride + part * kWidth);
      sums[row][part] = hn::Add(sums[row][part], hn::Mul(values, weights));
    }
  }
}

/// The partial sums of kRows rows that are `stride` numbers apart. Several rows in flight share the loads of w.
/// Meanwhile half as many numbers are fetched from `ahead` on, if there is one.
template <std::size_t kRows, class X, class W>
HWY_INLINE void sum_lanes(const X* x, std::size_t stride, const W* w, std::size_t n, Vector (&sums)[kRows][kParts],
                          const float* ahead = nullptr) {
  const Doubles d;
#pragma GCC unroll 16
  for (std::size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 16
    for (std::size_t part = 0; part < kParts; ++part) sums[row][part] = hn::Zero(d);
  }
  std::size_t i = 0;
  for (; ahead != nullptr && i + kFetchStep <= n; i += kFetchStep, ahead += kFetchStep / 2) {
    fetch_ahead<kFetchStep / 2>(ahead);
#pragma GCC unroll 4
    for (std::size_t step = 0; step < kFetchStep; step += kLanes) add_lanes(x + i + step, stride, w + i + step, sums);
  }
  for (std::size_t left = i; ahead != nullptr && left < n; left += 2 * kLine, ahead += kLine) fetch_ahead<kLine>(ahead);
  for (; i + kLanes <= n; i += kLanes) add_lanes(x + i, stride, w + i, sums);
#pragma GCC unroll 16
  for (std::size_t part = 0; part < kParts; ++part) {
    const std::size_t first = i + part * kWidth;
    if (first >= n) break;
    const bool full = first + kWidth <= n;
    const Vector weights = full ? load(d, w + first) : load_first(d, w + first, n - first);
#pragma GCC unroll 16
    for (std::size_t row = 0; row < kRows; ++row) {
      const X* values_at = x + row * stride + first;
      const Vector values = full ? load(d, values_at) : load_first(d, values_at, n - first);
      sums[row][part] = hn::Add(sums[row][part], hn::Mul(values, weights));
    }
  }
}

/// Adds lanes 8 apart, then 4, ... as far as they are in different vectors.
HWY_INLINE Vector fold_parts(Vector (&parts)[kParts]) {
#pragma GCC unroll 8
  for (std::size_t half = kParts / 2; half > 0; half /= 2) {
#pragma GCC unroll 16
    for (std::size_t part = 0; part < half; ++part) parts[part] = hn::Add(parts[part], parts[part + half]);
  }
  return parts[0];
}

/// Goes on with the lanes of one vector: 4 apart, 2 apart, neighbours.
template <class D>
HWY_INLINE double fold_lanes([[maybe_unused]] D d, hn::Vec<D> v) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (hn::MaxLanes(d) > 1) {
    const hn::Half<D> half;
    return fold_lanes(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
#endif
  return hn::GetLane(v);
}

template <class X, class W>
HWY_INLINE double dot_of(const X* x, const W* w, std::size_t n, const float* ahead = nullptr) {
  Vector sums[1][kParts];
  sum_lanes(x, 0, w, n, sums, ahead);
  return fold_lanes(Doubles(), fold_parts(sums[0]));
}

double dot_float(const float* x, const double* w, std::size_t n) noexcept { return dot_of(x, w, n); }
double dot_double(const double* x, const double* w, std::size_t n) noexcept { return dot_of(x, w, n); }
double squared_norm_float(const float* x, std::size_t n) noexcept { return dot_of(x, x, n); }

/// From one vector a row to one vector with two lanes a row, by the same additions as fold_lanes.
inline constexpr std::size_t kHalfBlock = kWidth / 2;
#if HWY_TARGET == HWY_SCALAR
#elif HWY_MAX_BYTES == 16
HWY_INLINE Vector fold_to_pairs(const Vector (&row)[1]) { return row[0]; }
#elif HWY_MAX_BYTES == 32
HWY_INLINE Vector fold_to_pairs(const Vector (&row)[2]) {
  const Doubles d;
  return hn::Add(hn::ConcatLowerLower(d, row[1], row[0]), hn::ConcatUpperUpper(d, row[1], row[0]));
}
#else
HWY_INLINE Vector fold_to_pairs(const Vector (&row)[4]) {
  const Doubles d;
  const Vector a = hn::Add(hn::ConcatLowerLower(d, row[2], row[0]), hn::ConcatUpperUpper(d, row[2], row[0]));
  const Vector b = hn::Add(hn::ConcatLowerLower(d, row[3], row[1]), hn::ConcatUpperUpper(d, row[3], row[1]));
  return hn::Add(hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a), hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a)));
}
#endif

#if HWY_TARGET != HWY_SCALAR
/// Every second row of a block of kWidth rows, folded to two lanes a row.
HWY_INLINE Vector half_block(const float* x, std::size_t features, const double* w) {
  Vector sums[kHalfBlock][kParts];
  sum_lanes<kHalfBlock>(x, 2 * features, w, features, sums);
  Vector folded[kHalfBlock];
#pragma GCC unroll 16
  for (std::size_t row = 0; row < kHalfBlock; ++row) folded[row] = fold_parts(sums[row]);
  return fold_to_pairs(folded);
}
#endif

void dots(const float* dense, std::size_t rows, std::size_t features, const double* w, double* margins) noexcept {
  std::size_t row = 0;
#if HWY_TARGET != HWY_SCALAR
  const Doubles d;
  for (; features < kLongRow && row + kWidth <= rows; row += kWidth) {
    const Vector even = half_block(dense + row * features, features, w);
    const Vector odd = half_block(dense + (row + 1) * features, features, w);
    hn::StoreU(hn::Add(hn::InterleaveLower(d, even, odd), hn::InterleaveUpper(d, even, odd)), d, margins + row);
  }
#endif
  if (features < kLongRow) {
    for (; row < rows; ++row) margins[row] = dot_of(dense + row * features, w, features);
    return;
  }
  const float* ahead = dense + rows * features;
  for (; row < rows; ++row, ahead += fetched_with(features)) {
    margins[row] = dot_of(dense + row * features, w, features, ahead);
  }
}

}  // namespace sotto::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
