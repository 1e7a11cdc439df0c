// Included once for each instruction set (kernels.cpp): loads that promote to binary64 and the driver of elementwise
// kernels. The guard is the one of Highway's per-target headers.
#if defined(SOTTO_LINALG_SIMD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SOTTO_LINALG_SIMD_INL
#undef SOTTO_LINALG_SIMD_INL
#else
#define SOTTO_LINALG_SIMD_INL
#endif

#include <cstddef>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace sotto::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using Vector = hn::Vec<Doubles>;
inline constexpr std::size_t kWidth = hn::MaxLanes(Doubles());

template <class D>
HWY_INLINE hn::Vec<D> load(D d, const double* p) {
  return hn::LoadU(d, p);
}

template <class D>
HWY_INLINE hn::Vec<D> load(D d, const float* p) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), p));
}

/// The first `count` < kWidth numbers at p, then zeros. Reads nothing behind them.
template <class T>
HWY_INLINE Vector load_first(const T* p, std::size_t count) {
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN T padded[kWidth] = {};
  for (std::size_t i = 0; i < count; ++i) padded[i] = p[i];
  return load(Doubles(), padded);
#else
  const hn::Rebind<T, Doubles> tag;
  const auto loaded = hn::MaskedLoad(hn::FirstN(tag, count), tag, p);
  if constexpr (sizeof(T) == sizeof(double)) {
    return loaded;
  } else {
    return hn::PromoteTo(Doubles(), loaded);
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
