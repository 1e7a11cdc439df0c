// Box-Muller in binary32 [BoxMuller58] for the faster path: (r cos 2 pi v, r sin 2 pi v), r = sqrt(-2 ln u).
//   ln: u = 2^e m, sqrt(1/2) <= m < sqrt 2, ln m = f G(f), f = m - 1, error of G below 2^-22;
//   angle: t quarter turns from the nearest one, sine t S(t^2), cosine C(t^2), errors below 2^-25.
// u has 31 digits and is never 0: |normal| <= 6.7. Coefficients: Chebyshev interpolation.
// Fails if wrong: random_fast_noise_test (error against libm, Kolmogorov-Smirnov).
#include "sotto/random/noise_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sotto/random/fast_kernels.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using F = hn::ScalableTag<float>;
using FI = hn::RebindToSigned<F>;
using VF = hn::Vec<F>;
using VFI = hn::Vec<FI>;

template <std::size_t kTerms>
HWY_INLINE VF fast_polynomial(VF x, const float (&c)[kTerms]) {
  const F f;
  VF sum = hn::Set(f, c[kTerms - 1]);
  for (std::size_t i = kTerms - 1; i-- > 0;) sum = hn::MulAdd(sum, x, hn::Set(f, c[i]));
  return sum;
}

// sqrt(-2 ln u) for u = (digits + 1/2) / 2^31. Never the root of a negative number: f <= 0 where e = 0.
HWY_INLINE VF fast_radius(VFI digits) {
  // -2 times the coefficients of G, and -2 ln 2
  static constexpr float kLog[8] = {-0x1.fffffep+0f, 0x1.00007ep+0f, -0x1.5558acp-1f, 0x1.ff5cfcp-2f,
                                    -0x1.97d34cp-2f, 0x1.61db9p-2f,  -0x1.4a43fcp-2f, 0x1.955046p-3f};
  constexpr std::int32_t kRootHalf = 0x3f3504f3;
  const F f;
  const FI fi;
  const VFI bits = hn::BitCast(fi, hn::Add(hn::ConvertTo(f, digits), hn::Set(f, 0.5f)));
  const VFI shifted = hn::Sub(bits, hn::Set(fi, kRootHalf + (31 << 23)));
  const VFI mantissa = hn::And(shifted, hn::Set(fi, 0x007fffff));
  const VF m = hn::Sub(hn::BitCast(f, hn::Add(mantissa, hn::Set(fi, kRootHalf))), hn::Set(f, 1.0f));
  const VF e = hn::ConvertTo(f, hn::ShiftRight<23>(shifted));
  return hn::Sqrt(hn::MulAdd(e, hn::Set(f, -0x1.62e43p+0f), hn::Mul(m, fast_polynomial(m, kLog))));
}

// From the last pairs to the first: what the last cosines write behind their end is written again by the first sines.
void fast_pairs_kernel(std::span<const std::uint64_t> pairs, float* cosines, float* sines) {
  static constexpr float kSine[4] = {0x1.921fb6p+0f, -0x1.4abbbap-1f, 0x1.465ec4p-4f, -0x1.2d9b4p-8f};
  static constexpr float kCosine[4] = {0x1.ffffffp-1f, -0x1.3bd392p+0f, 0x1.03af58p-2f, -0x1.4e5e06p-6f};
  const F f;
  const FI fi;
  const VFI sign = hn::BitCast(fi, hn::Set(f, -0.0f));
  const std::size_t lanes = hn::Lanes(f);
  const auto* digits = reinterpret_cast<const std::int32_t*>(pairs.data());
  for (std::size_t i = (pairs.size() + lanes - 1) / lanes * lanes; i > 0;) {
    i -= lanes;
    const VF radius = fast_radius(hn::And(hn::LoadU(fi, digits + i), hn::Set(fi, 0x7fffffff)));
    const VFI v = hn::LoadU(fi, digits + pairs.size() + i);
    const VF t = hn::Mul(hn::ConvertTo(f, hn::ShiftRight<2>(hn::ShiftLeft<2>(v))), hn::Set(f, 0x1p-30f));
    const VF square = hn::Mul(t, t);
    const VF sine = hn::Mul(hn::Mul(t, radius), fast_polynomial(square, kSine));
    const VF size = hn::Mul(radius, fast_polynomial(square, kCosine));
    const VF cosine = hn::BitCast(f, hn::Xor(hn::BitCast(fi, size), hn::And(v, sign)));
    const auto swap = hn::RebindMask(f, hn::TestBit(v, hn::Set(fi, 1 << 30)));
    hn::StoreU(hn::IfThenElse(swap, sine, cosine), f, cosines + i);
    hn::StoreU(hn::IfThenElse(swap, cosine, sine), f, sines + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto {
HWY_EXPORT(fast_pairs_kernel);

namespace {

struct FastKernels {
  decltype(&HWY_STATIC_DISPATCH(fast_pairs_kernel)) make_pairs;

  FastKernels() noexcept {
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    make_pairs = &HWY_DYNAMIC_DISPATCH(fast_pairs_kernel);
  }
};

const FastKernels& fast_kernels() noexcept {
  static const FastKernels chosen;
  return chosen;
}

}  // namespace

void make_fast_pairs(std::span<const std::uint64_t> pairs, float* cosines, float* sines) noexcept {
  fast_kernels().make_pairs(pairs, cosines, sines);
}

}  // namespace sotto
#endif
