// Included once for each instruction set (kernels.cpp): the sparse dot product, entries in the order of dot.inl.
#if defined(SOTTO_LINALG_SPARSE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SOTTO_LINALG_SPARSE_INL
#undef SOTTO_LINALG_SPARSE_INL
#else
#define SOTTO_LINALG_SPARSE_INL
#endif

#include <cstdint>

#include "sotto/linalg/dot.inl"

HWY_BEFORE_NAMESPACE();
namespace sotto::kernels::HWY_NAMESPACE {

/// The weights of as many columns as the tag has lanes, each loaded by itself: quicker than gather instructions.
template <class D>
HWY_INLINE hn::Vec<D> pick(D d, const double* w, const std::uint32_t* columns) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (hn::MaxLanes(d) > 1) {
    const hn::Half<D> half;
    return hn::Combine(d, pick(half, w, columns + hn::MaxLanes(half)), pick(half, w, columns));
  }
#endif
  return hn::LoadU(d, w + columns[0]);
}

/// The same for the first `count` < lanes columns, then zeros.
template <class D>
HWY_INLINE hn::Vec<D> pick_first(D d, [[maybe_unused]] const double* w, [[maybe_unused]] const std::uint32_t* columns,
                                 [[maybe_unused]] std::size_t count) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (hn::MaxLanes(d) > 1) {
    const hn::Half<D> half;
    constexpr std::size_t width = hn::MaxLanes(half);
    if (count < width) return hn::ZeroExtendVector(d, pick_first(half, w, columns, count));
    return hn::Combine(d, pick_first(half, w, columns + width, count - width), pick(half, w, columns));
  }
#endif
  return hn::Zero(d);
}

double dot_sparse(const std::uint32_t* columns, const float* values, std::size_t count, const double* w) noexcept {
  const Doubles d;
  Vector sums[kParts];
#pragma GCC unroll 16
  for (std::size_t part = 0; part < kParts; ++part) sums[part] = hn::Zero(d);
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
#pragma GCC unroll 16
    for (std::size_t part = 0; part < kParts; ++part) {
      const std::size_t first = i + part * kWidth;
      sums[part] = hn::Add(sums[part], hn::Mul(load(d, values + first), pick(d, w, columns + first)));
    }
  }
#pragma GCC unroll 16
  for (std::size_t part = 0; part < kParts; ++part) {
    const std::size_t first = i + part * kWidth;
    if (first >= count) break;
    const std::size_t rest = count - first;
    const Vector x = rest < kWidth ? load_first(d, values + first, rest) : load(d, values + first);
    const Vector weights = rest < kWidth ? pick_first(d, w, columns + first, rest) : pick(d, w, columns + first);
    sums[part] = hn::Add(sums[part], hn::Mul(x, weights));
  }
  return fold_lanes(d, fold_parts(sums));
}

}  // namespace sotto::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
