// Normals in bulk [BoxMuller58] with a proven error, and their rounding.
//   ln: u = 2^e m, sqrt(1/2) <= m < sqrt 2, s = (m - 1)/(m + 1), ln m = s L(s^2), relative error of L below 2^-44;
//   angle: t quarter turns from the nearest one, |t| <= 1/2, sine t S(t^2), cosine C(t^2), errors below 2^-43.5.
// For 2^-12 <= u <= 1 - 2^-13, so 2^-6 < r < 4.1: polynomials 4.1 (2^-45 + 2^-43.5), unknown digits of u
// 2^-49 / (u r) < 2^-39, of v 4.1 * 2 pi 2^-49, roundings 2^-46: together below 2^-38. Other u give NaN.
// Rounding: adding 3 * 2^51 to |x| <= 2^50 leaves the nearest integer in the low bits of the sum.
// Coefficients: Chebyshev interpolation. Fails if wrong: random_noise_kernels_test (error against 192 bits).
#include "sotto/random/noise_kernels.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sotto/random/noise_kernels.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using DI = hn::RebindToSigned<D>;
using V = hn::Vec<D>;
using VI = hn::Vec<DI>;

HWY_INLINE V Polynomial(V x, const double (&c)[6]) {
  const D d;
  V sum = hn::Set(d, c[5]);
  for (int i = 4; i >= 0; --i) sum = hn::MulAdd(sum, x, hn::Set(d, c[i]));
  return sum;
}

HWY_INLINE VI LoadLead(PairBits bits, std::size_t i) {
  const DI di;
  const hn::Rebind<std::uint32_t, D> d32;
  const hn::Rebind<std::uint16_t, D> d16;
  const hn::RebindToUnsigned<DI> du;
  const auto high = hn::PromoteTo(du, hn::LoadU(d32, reinterpret_cast<const std::uint32_t*>(bits.high()) + i));
  const auto low16 = hn::LoadU(d16, reinterpret_cast<const std::uint16_t*>(bits.low()) + i);
  const auto low = hn::PromoteTo(du, hn::PromoteTo(d32, low16));
  return hn::BitCast(di, hn::Or(hn::ShiftLeft<16>(high), low));
}

// |x| < 2^51, exactly
HWY_INLINE V ToDouble(VI x) {
  const D d;
  const DI di;
  const V magic = hn::Set(d, 0x1.8p52);
  return hn::Sub(hn::BitCast(d, hn::Add(x, hn::BitCast(di, magic))), magic);
}

// The middle of the numbers that begin with x: x + 1/2
HWY_INLINE V Middle(VI x) { return hn::Add(ToDouble(x), hn::Set(D(), 0.5)); }

// sqrt(-2 ln u), u = (lead + 1/2) / 2^48
HWY_INLINE V Radius(VI lead) {
  static constexpr double kLog[6] = {0x1.fffffffffff12p+0, 0x1.55555556716dap-1, 0x1.9999962baa6d7p-2,
                                     0x1.24943845d454ep-2, 0x1.c620e12262e86p-3, 0x1.9193ad599876cp-3};
  const D d;
  const DI di;
  const VI root_half = hn::Set(di, 0x3fe6a09e667f3bcd);
  const VI shifted = hn::Sub(hn::BitCast(di, Middle(lead)), root_half);
  const VI exponent = hn::ShiftRight<52>(shifted);
  const VI mantissa = hn::And(shifted, hn::Set(di, 0x000fffffffffffff));
  const V m = hn::BitCast(d, hn::Add(mantissa, root_half));
  const V one = hn::Set(d, 1.0);
  const V s = hn::Div(hn::Sub(m, one), hn::Add(m, one));
  const V log_m = hn::Mul(s, Polynomial(hn::Mul(s, s), kLog));
  const V e = hn::Sub(ToDouble(exponent), hn::Set(d, 48.0));
  const V log_u = hn::MulAdd(e, hn::Set(d, 0x1.62e42fefa39efp-1), log_m);
  return hn::Sqrt(hn::Mul(hn::Set(d, -2.0), log_u));
}

void MakePairs(PairBits bits, std::size_t second, double* normals) {
  static constexpr double kSine[6] = {0x1.921fb54442cfap+0,  -0x1.4abbce6257a2ap-1, 0x1.466bc67123fa1p-4,
                                      -0x1.32d2c644adc0bp-8, 0x1.5071ce4b47930p-13, -0x1.dd54805f3f706p-19};
  static constexpr double kCosine[6] = {0x1.ffffffffffe0bp-1,  -0x1.3bd3cc9bd2c35p+0, 0x1.03c1f074ded21p-2,
                                        -0x1.55d3ba300cd50p-6, 0x1.e1e7ccccb387ap-11, -0x1.a0ee132c60c1fp-16};
  const D d;
  const DI di;
  const VI sign = hn::BitCast(di, hn::Set(d, -0.0));
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < bits.pairs; i += lanes) {
    const VI u = LoadLead(bits, i);
    // u in [2^36, 2^48 - 2^35)
    const auto usual = hn::And(hn::Gt(u, hn::Set(di, (std::int64_t{1} << 36) - 1)),
                               hn::Lt(u, hn::Set(di, (std::int64_t{1} << 48) - (std::int64_t{1} << 35))));
    const V radius = hn::IfThenElse(hn::RebindMask(d, usual), Radius(u), hn::NaN(d));
    const VI v = LoadLead(bits, bits.pairs + i);
    // Bits 47 and 46 of v + 1/8 turn: the nearest quarter turn; v minus it, sign-extended from 46 bits.
    const VI quarter = hn::Add(v, hn::Set(di, std::int64_t{1} << 45));
    const V t = hn::Mul(Middle(hn::ShiftRight<18>(hn::ShiftLeft<18>(v))), hn::Set(d, 0x1p-46));
    const V square = hn::Mul(t, t);
    const V sine = hn::Mul(hn::Mul(t, radius), Polynomial(square, kSine));
    const V cosine = hn::Mul(radius, Polynomial(square, kCosine));
    const auto odd = hn::RebindMask(d, hn::TestBit(quarter, hn::Set(di, std::int64_t{1} << 46)));
    const VI flip_sine = hn::And(hn::ShiftLeft<16>(quarter), sign);
    const VI flip_cosine = hn::Xor(flip_sine, hn::And(hn::ShiftLeft<17>(quarter), sign));
    // Sines first: the last cosine may go where the first sine was.
    hn::StoreU(hn::Xor(hn::IfThenElse(odd, cosine, sine), hn::BitCast(d, flip_sine)), d, normals + second + i);
    const V cosines = hn::Xor(hn::IfThenElse(odd, sine, cosine), hn::BitCast(d, flip_cosine));
    if (i + lanes <= bits.pairs) {
      hn::StoreU(cosines, d, normals + i);
    } else {
      hn::BlendedStore(cosines, hn::FirstN(d, bits.pairs - i), d, normals + i);
    }
  }
}

// Lanes of `product` that are not surely rounded, as bits; the rounded ones into `nearest`.
HWY_INLINE hn::Mask<D> Round(V normal, Rounding rounding, VI& nearest) {
  const D d;
  const DI di;
  const V magic = hn::Set(d, 0x1.8p52);
  const V product = hn::Mul(normal, hn::Set(d, rounding.factor));
  const V shifted = hn::Add(product, magic);
  const V off = hn::Abs(hn::Sub(product, hn::Sub(shifted, magic)));
  nearest = hn::Sub(hn::BitCast(di, shifted), hn::BitCast(di, magic));
  return hn::And(hn::Lt(off, hn::Set(d, rounding.limit)), hn::Lt(hn::Abs(product), hn::Set(d, 0x1p50)));
}

std::size_t RoundNormals(std::span<const double> normals, Rounding rounding, std::int64_t* noise,
                         std::uint16_t* doubtful) {
  const D d;
  const DI di;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t doubts = 0;
  const auto note = [&](std::size_t i, hn::Mask<D> sure) HWY_ATTR {
    std::uint8_t mask[8] = {};
    hn::StoreMaskBits(d, hn::Not(sure), mask);
    for (std::size_t j = 0; j < lanes; ++j) {
      if ((mask[0] >> j & 1) != 0) doubtful[doubts++] = static_cast<std::uint16_t>(i + j);
    }
  };
  VI nearest = hn::Zero(di);
  std::size_t i = 0;
  for (; i + lanes <= normals.size(); i += lanes) {
    const auto sure = Round(hn::LoadU(d, normals.data() + i), rounding, nearest);
    hn::StoreU(nearest, di, noise + i);
    if (HWY_UNLIKELY(!hn::AllTrue(d, sure))) note(i, sure);
  }
  if (i < normals.size()) {
    const auto valid = hn::FirstN(d, normals.size() - i);
    const auto sure = Round(hn::MaskedLoad(valid, d, normals.data() + i), rounding, nearest);
    hn::BlendedStore(nearest, hn::RebindMask(di, valid), di, noise + i);
    note(i, hn::Or(sure, hn::Not(valid)));
  }
  return doubts;
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto {
HWY_EXPORT(MakePairs);
HWY_EXPORT(RoundNormals);

namespace {

// The kernels are chosen once: asking the dispatcher each time costs as much as a vector of normals.
struct Kernels {
  decltype(&HWY_STATIC_DISPATCH(MakePairs)) make_pairs;
  decltype(&HWY_STATIC_DISPATCH(RoundNormals)) round_normals;

  Kernels() noexcept {
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    make_pairs = &HWY_DYNAMIC_DISPATCH(MakePairs);
    round_normals = &HWY_DYNAMIC_DISPATCH(RoundNormals);
  }
};

const Kernels& kernels() noexcept {
  static const Kernels chosen;
  return chosen;
}

}  // namespace

void make_pairs(PairBits bits, std::size_t second, double* normals) noexcept {
  kernels().make_pairs(bits, second, normals);
}

std::size_t round_normals(std::span<const double> normals, Rounding rounding, std::int64_t* noise,
                          std::uint16_t* doubtful) noexcept {
  return kernels().round_normals(normals, rounding, noise, doubtful);
}

}  // namespace sotto
#endif
