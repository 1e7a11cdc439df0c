// Included once for each instruction set (kernels.cpp): loads that promote to binary64 and the driver of elementwise
// kernels. The guard is the one of Highway's per-target headers.
#if defined(SOTTO_LINALG_SIMD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SOTTO_LINALG_SIMD_INL
#undef SOTTO_LINALG_SIMD_INL
#else
#define SOTTO_LINALG_SIMD_INL
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "sotto/linalg/rounded.h"

HWY_BEFORE_NAMESPACE();
namespace sotto::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using Vector = hn::Vec<Doubles>;
inline constexpr std::size_t kWidth = hn::MaxLanes(Doubles());

/// How a product enters a sum: as the binary64 number it is.
struct Plain {
  using Number = double;
  template <class D>
  using Tag = D;
  template <class D, class S>
  static HWY_INLINE S add(D, S sum, hn::Vec<D> product) {
    return hn::Add(sum, product);
  }
  template <class D, class S>
  static HWY_INLINE S finish(D, S sum, std::size_t /*products*/) {
    return sum;
  }
};

/// The same as the integer next to it, ties to even, for products of at most 2^51. The sum of a product and kShift has
/// that integer in its last bits, whatever was summed before; what kShift itself adds is taken away at the end.
struct Rounded {
  using Number = std::int64_t;
  template <class D>
  using Tag = hn::RebindToSigned<D>;
  template <class D, class S>
  static HWY_INLINE S add(D d, S sum, hn::Vec<D> product) {
    return hn::Add(sum, hn::BitCast(Tag<D>(), hn::Add(product, hn::Set(d, kShift))));
  }
  template <class D, class S>
  static HWY_INLINE S finish(D, S sum, std::size_t products) {
    return hn::Sub(sum, hn::Set(Tag<D>(), static_cast<std::int64_t>(kShiftBits * products)));
  }
};

/// A kernel that reads long rows fetches half as many numbers from behind them, in the order they lie in and into the
/// outer cache: dots() the first half of what is probably the next block, accumulate() the second. So both read the
/// cache, and memory is busy all the time; a line that is left out is waited for. A prefetch never faults, be there
/// rows or not.
inline constexpr std::size_t kLine = 64 / sizeof(float);
inline constexpr std::size_t kFetchStep = 4 * kLine;  ///< columns that are read in one go
template <std::size_t kCount>
HWY_INLINE void fetch_ahead(const float* x) {
#pragma GCC unroll 16
  for (std::size_t i = 0; i + kLine <= kCount; i += kLine) __builtin_prefetch(x + i, 0, 2);
}
/// How many numbers dots() fetches with a row: half of it, in whole lines.
inline std::size_t fetched_with(std::size_t features) {
  return features / kFetchStep * (kFetchStep / 2) + (features % kFetchStep + 2 * kLine - 1) / (2 * kLine) * kLine;
}

template <class D>
HWY_INLINE hn::Vec<D> load(D d, const double* p) {
  return hn::LoadU(d, p);
}

template <class D>
HWY_INLINE hn::Vec<D> load(D d, const std::int64_t* p) {
  return hn::LoadU(d, p);
}

template <class D>
HWY_INLINE hn::Vec<D> load(D d, const float* p) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), p));
}

/// The first `count` < lanes numbers at p, then zeros. Reads nothing behind them. In pieces of half the size, the ones
/// that sweep() stores: a masked load of numbers that were just stored would wait until they reach the cache.
template <class D, class T>
HWY_INLINE hn::Vec<D> load_first(D d, [[maybe_unused]] const T* p, [[maybe_unused]] std::size_t count) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (hn::MaxLanes(d) > 1) {
    const hn::Half<D> half;
    constexpr std::size_t width = hn::MaxLanes(half);
    if (count < width) return hn::ZeroExtendVector(d, load_first(half, p, count));
    return hn::Combine(d, load_first(half, p + width, count - width), load(half, p));
  }
#endif
  return hn::Zero(d);
}

/// Stores the first `count` < lanes numbers of v, in the same pieces.
template <class D>
HWY_INLINE void store_first([[maybe_unused]] D d, [[maybe_unused]] hn::Vec<D> v, [[maybe_unused]] hn::TFromD<D>* p,
                            [[maybe_unused]] std::size_t count) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (hn::MaxLanes(d) > 1) {
    const hn::Half<D> half;
    constexpr std::size_t width = hn::MaxLanes(half);
    if (count < width) return store_first(half, hn::LowerHalf(half, v), p, count);
    hn::StoreU(hn::LowerHalf(half, v), half, p);
    store_first(half, hn::UpperHalf(half, v), p + width, count - width);
  }
#endif
}

/// operation(tag, i) treats the elements [i, i + lanes of the tag); the rest after full vectors is done in halves.
template <class D, class Operation>
HWY_INLINE void sweep(D d, const Operation& operation, std::size_t i, std::size_t n) {
  constexpr std::size_t width = hn::MaxLanes(d);
  for (; i + width <= n; i += width) operation(d, i);
  if constexpr (width > 1) sweep(hn::Half<D>(), operation, i, n);
}

}  // namespace sotto::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
