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
HWY_INLINE VF FastPolynomial(VF x, const float (&c)[kTerms]) {
  const F f;
  VF sum = hn::Set(f, c[kTerms - 1]);
  for (std::size_t i = kTerms - 1; i-- > 0;) sum = hn::MulAdd(sum, x, hn::Set(f, c[i]));
  return sum;
}

// sqrt(-2 ln u) for u = (digits + 1/2) / 2^31
HWY_INLINE VF FastRadius(VFI digits) {
  static constexpr float kLog[8] = {0x1.fffffep-1f, -0x1.00007ep-1f, 0x1.5558acp-2f, -0x1.ff5cfcp-3f,
                                    0x1.97d34cp-3f, -0x1.61db9p-3f,  0x1.4a43fcp-3f, -0x1.955046p-4f};
  const F f;
  const FI fi;
  const VFI root_half = hn::Set(fi, 0x3f3504f3);
  const VFI shifted = hn::Sub(hn::BitCast(fi, hn::Add(hn::ConvertTo(f, digits), hn::Set(f, 0.5f))), root_half);
  const VFI mantissa = hn::And(shifted, hn::Set(fi, 0x007fffff));
  const VF m = hn::Sub(hn::BitCast(f, hn::Add(mantissa, root_half)), hn::Set(f, 1.0f));
  const VF e = hn::Sub(hn::ConvertTo(f, hn::ShiftRight<23>(shifted)), hn::Set(f, 31.0f));
  const VF log_u = hn::MulAdd(e, hn::Set(f, 0x1.62e43p-1f), hn::Mul(m, FastPolynomial(m, kLog)));
  return hn::Sqrt(hn::Abs(hn::Mul(hn::Set(f, -2.0f), log_u)));
}

void MakeFastPairs(std::span<const std::uint64_t> pairs, float* cosines, float* sines) {
  static constexpr float kSine[4] = {0x1.921fb6p+0f, -0x1.4abbbap-1f, 0x1.465ec4p-4f, -0x1.2d9b4p-8f};
  static constexpr float kCosine[4] = {0x1.ffffffp-1f, -0x1.3bd392p+0f, 0x1.03af58p-2f, -0x1.4e5e06p-6f};
  const F f;
  const FI fi;
  const VFI sign = hn::BitCast(fi, hn::Set(f, -0.0f));
  const std::size_t lanes = hn::Lanes(f);
  const auto* digits = reinterpret_cast<const std::int32_t*>(pairs.data());
  for (std::size_t i = 0; i < pairs.size(); i += lanes) {
    const VFI u = hn::And(hn::LoadU(fi, digits + i), hn::Set(fi, 0x7fffffff));
    const VF radius = FastRadius(u);
    const VFI v = hn::LoadU(fi, digits + pairs.size() + i);
    const VFI quarter = hn::Add(v, hn::Set(fi, 1 << 29));
    const VF t = hn::Mul(hn::ConvertTo(f, hn::ShiftRight<2>(hn::ShiftLeft<2>(v))), hn::Set(f, 0x1p-30f));
    const VF square = hn::Mul(t, t);
    const VF sine = hn::Mul(hn::Mul(t, radius), FastPolynomial(square, kSine));
    const VF cosine = hn::Mul(radius, FastPolynomial(square, kCosine));
    const auto odd = hn::RebindMask(f, hn::TestBit(quarter, hn::Set(fi, 1 << 30)));
    const VFI flip_sine = hn::And(quarter, sign);
    const VFI flip_cosine = hn::Xor(flip_sine, hn::And(hn::ShiftLeft<1>(quarter), sign));
    hn::StoreU(hn::Xor(hn::IfThenElse(odd, sine, cosine), hn::BitCast(f, flip_cosine)), f, cosines + i);
    hn::StoreU(hn::Xor(hn::IfThenElse(odd, cosine, sine), hn::BitCast(f, flip_sine)), f, sines + i);
  }
}

// The last vector goes back over lanes that were done: cheaper than a mask, which the reader would have to wait for.
HWY_INLINE void ScaleSome(const float* normals, double factor, std::span<double> out) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> half;
  const std::size_t lanes = hn::Lanes(d);
  const auto scaled = [&](std::size_t i) HWY_ATTR {
    return hn::Mul(hn::PromoteTo(d, hn::LoadU(half, normals + i)), hn::Set(d, factor));
  };
  const std::size_t n = out.size();
  if (n < lanes) return hn::BlendedStore(scaled(0), hn::FirstN(d, n), d, out.data());
  for (std::size_t i = 0; i + lanes <= n; i += lanes) hn::StoreU(scaled(i), d, out.data() + i);
  if (n % lanes != 0) hn::StoreU(scaled(n - lanes), d, out.data() + n - lanes);
}

void ScaleFastPairs(const float* cosines, const float* sines, double factor, std::span<double> out) {
  const std::size_t half = (out.size() + 1) / 2;
  ScaleSome(cosines, factor, out.first(half));
  ScaleSome(sines, factor, out.subspan(half));
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto {
HWY_EXPORT(MakeFastPairs);
HWY_EXPORT(ScaleFastPairs);

namespace {

struct FastKernels {
  decltype(&HWY_STATIC_DISPATCH(MakeFastPairs)) make_pairs;
  decltype(&HWY_STATIC_DISPATCH(ScaleFastPairs)) scale;

  FastKernels() noexcept {
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    make_pairs = &HWY_DYNAMIC_DISPATCH(MakeFastPairs);
    scale = &HWY_DYNAMIC_DISPATCH(ScaleFastPairs);
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

void scale_fast_pairs(const float* cosines, const float* sines, double factor, std::span<double> out) noexcept {
  fast_kernels().scale(cosines, sines, factor, out);
}

}  // namespace sotto
#endif
