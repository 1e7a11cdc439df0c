// Normals in bulk [BoxMuller58] with a proven error, and their rounding.
//   ln: u = 2^e m, sqrt(1/2) <= m < sqrt 2, s = (m - 1)/(m + 1), ln m = s L(s^2), relative error of L below 2^-44;
//   angle: t quarter turns from the nearest one, |t| <= 1/2, sine t S(t^2), cosine C(t^2), errors below 2^-43.5.
// For 2^-12 <= u <= 1 - 2^-13, so 2^-6 < r < 4.1: polynomials 4.1 (2^-45 + 2^-43.5), unknown digits of u
// 2^-49 / (u r) < 2^-39, of v 4.1 * 2 pi 2^-49, roundings 2^-46: together below 2^-38. Other u give NaN.
// Rounding: adding 3 * 2^51 units to |x| <= 2^50 units and taking them away again leaves the nearest multiple.
// Coefficients: Chebyshev interpolation.
// Fails if wrong: random_noise_kernels_test (error against 192 bits).
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

HWY_INLINE V polynomial(V x, const double (&c)[6]) {
  const D d;
  V sum = hn::Set(d, c[5]);
  for (int i = 4; i >= 0; --i) sum = hn::MulAdd(sum, x, hn::Set(d, c[i]));
  return sum;
}

// x + shift for 0 <= x < 2^52, exact if the sum of 2^52 and shift is a binary64 number
HWY_INLINE V add_to(VI x, double shift) {
  const D d;
  const DI di;
  const VI bits = hn::Or(x, hn::BitCast(di, hn::Set(d, 0x1p52)));
  return hn::Sub(hn::BitCast(d, bits), hn::Set(d, 0x1p52 - shift));
}

// sqrt(-2 ln u), u = (lead + 1/2) / 2^48
HWY_INLINE V radius_of(VI lead) {
  // -2 times the coefficients of L, and -2 ln 2
  static constexpr double kLog[6] = {-0x1.fffffffffff12p+1, -0x1.55555556716dap+0, -0x1.9999962baa6d7p-1,
                                     -0x1.24943845d454ep-1, -0x1.c620e12262e86p-2, -0x1.9193ad599876cp-2};
  const D d;
  const DI di;
  const VI root_half = hn::Set(di, 0x3fe6a09e667f3bcd);
  const VI shifted = hn::Sub(hn::BitCast(di, add_to(lead, 0.5)), root_half);
  const VI mantissa = hn::And(shifted, hn::Set(di, 0x000fffffffffffff));
  const V m = hn::BitCast(d, hn::Add(mantissa, root_half));
  const V one = hn::Set(d, 1.0);
  const V s = hn::Div(hn::Sub(m, one), hn::Add(m, one));
  const V log_m = hn::Mul(s, polynomial(hn::Mul(s, s), kLog));
  const V exponent = add_to(hn::ShiftRight<52>(shifted), -48.0);
  return hn::Sqrt(hn::MulAdd(exponent, hn::Set(d, -0x1.62e42fefa39efp+0), log_m));
}

// Quarter turns from the nearest one, in [-1/2, 1/2): bits 0 to 45 of v + 1/8 turn, less 1/2, and 1/2 more digit.
HWY_INLINE V offset_of(VI shifted_v) {
  const D d;
  const DI di;
  const hn::RebindToUnsigned<DI> du;
  const VI digits = hn::BitCast(di, hn::ShiftRight<12>(hn::ShiftLeft<18>(hn::BitCast(du, shifted_v))));
  const V one = hn::Set(d, 1.0);
  return hn::Sub(hn::Or(hn::BitCast(d, digits), one), hn::Set(d, 1.5 - 0x1p-47));
}

// From the last pairs to the first: the last one is asked for first.
void pairs_kernel(PairBits bits, double* cosines, double* sines) {
  static constexpr double kSine[6] = {0x1.921fb54442cfap+0,  -0x1.4abbce6257a2ap-1, 0x1.466bc67123fa1p-4,
                                      -0x1.32d2c644adc0bp-8, 0x1.5071ce4b47930p-13, -0x1.dd54805f3f706p-19};
  static constexpr double kCosine[6] = {0x1.ffffffffffe0bp-1,  -0x1.3bd3cc9bd2c35p+0, 0x1.03c1f074ded21p-2,
                                        -0x1.55d3ba300cd50p-6, 0x1.e1e7ccccb387ap-11, -0x1.a0ee132c60c1fp-16};
  const D d;
  const DI di;
  constexpr std::uint64_t kRange = (std::uint64_t{1} << 48) - (std::uint64_t{1} << 35) - (std::uint64_t{1} << 36);
  const hn::RebindToUnsigned<DI> du;
  const hn::Rebind<std::uint32_t, D> d32;
  const VI sign = hn::BitCast(di, hn::Set(d, -0.0));
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = (bits.pairs + lanes - 1) / lanes * lanes; i > 0;) {
    i -= lanes;
    const auto word = hn::LoadU(du, bits.words + i);
    const auto u = hn::ShiftRight<16>(word);
    // u in [2^36, 2^48 - 2^35)
    const auto usual = hn::Lt(hn::Sub(u, hn::Set(du, std::uint64_t{1} << 36)), hn::Set(du, kRange));
    const V radius = hn::IfThenElse(hn::RebindMask(d, usual), radius_of(hn::BitCast(di, u)), hn::NaN(d));
    const auto low = hn::PromoteTo(du, hn::LoadU(d32, bits.halves() + i));
    const auto digits = hn::Or(hn::And(hn::ShiftLeft<32>(word), hn::Set(du, std::uint64_t{0xffff} << 32)), low);
    // Bits 47 and 46 of v + 1/8 turn: the nearest quarter turn.
    const VI v = hn::BitCast(di, hn::Add(digits, hn::Set(du, std::uint64_t{1} << 45)));
    const V t = offset_of(v);
    const V square = hn::Mul(t, t);
    const V sine = hn::Mul(hn::Mul(t, radius), polynomial(square, kSine));
    const V cosine = hn::Mul(radius, polynomial(square, kCosine));
    const auto odd = hn::RebindMask(d, hn::TestBit(v, hn::Set(di, std::int64_t{1} << 46)));
    const VI flip_sine = hn::And(hn::ShiftLeft<16>(v), sign);
    const VI flip_cosine = hn::Xor(flip_sine, hn::And(hn::ShiftLeft<17>(v), sign));
    hn::StoreU(hn::Xor(hn::IfThenElse(odd, sine, cosine), hn::BitCast(d, flip_cosine)), d, cosines + i);
    hn::StoreU(hn::Xor(hn::IfThenElse(odd, cosine, sine), hn::BitCast(d, flip_sine)), d, sines + i);
  }
}

// Rounds one vector of normals, of which min(count, lanes) are asked for; true where that was not safe.
HWY_INLINE hn::Mask<D> round_vector(const double* normals, const Rounding& rounding, double* noise, std::size_t count) {
  const D d;
  const V magic = hn::Set(d, 0x1.8p52 * rounding.unit);
  const V product = hn::Mul(hn::LoadU(d, normals), hn::Set(d, rounding.factor));
  const V nearest = hn::Sub(hn::Add(product, magic), magic);
  const auto sure = hn::Lt(hn::Abs(hn::Sub(product, nearest)), hn::Set(d, rounding.limit));
  if (HWY_LIKELY(count >= hn::Lanes(d))) {
    hn::StoreU(nearest, d, noise);
    return hn::Not(sure);
  }
  hn::BlendedStore(nearest, hn::FirstN(d, count), d, noise);
  return hn::AndNot(sure, hn::FirstN(d, count));
}

// Rounds n normals; true in some lane if one was not safe. The last vector goes back over lanes that were done: cheaper
// than a mask.
HWY_INLINE hn::Mask<D> round_half(const double* normals, const Rounding& rounding, double* noise, std::size_t n) {
  const std::size_t lanes = hn::Lanes(D());
  auto doubt = round_vector(normals, rounding, noise, n);
  if (n <= lanes) return doubt;
  for (std::size_t i = lanes; i + lanes <= n; i += lanes) {
    doubt = hn::Or(doubt, round_vector(normals + i, rounding, noise + i, lanes));
  }
  return hn::Or(doubt, round_vector(normals + n - lanes, rounding, noise + n - lanes, lanes));
}

std::size_t rounding_kernel(const double* cosines, const double* sines, const Rounding& rounding,
                            std::span<double> noise, std::uint16_t* doubtful) {
  const D d;
  const std::size_t half = (noise.size() + 1) / 2;
  const std::size_t rest = noise.size() - half;
  auto doubt = round_half(cosines, rounding, noise.data(), half);
  if (rest > 0) doubt = hn::Or(doubt, round_half(sines, rounding, noise.data() + half, rest));
  if (HWY_LIKELY(hn::AllFalse(d, doubt))) return 0;
  std::size_t doubts = 0;
  double unused[hn::MaxLanes(d)] = {};
  for (std::size_t i = 0; i < half; ++i) {
    doubt = round_vector(cosines + i, rounding, unused, 1);
    if (i < rest) doubt = hn::Or(doubt, round_vector(sines + i, rounding, unused, 1));
    if (!hn::AllFalse(d, doubt)) doubtful[doubts++] = static_cast<std::uint16_t>(i);
  }
  return doubts;
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto {
HWY_EXPORT(pairs_kernel);
HWY_EXPORT(rounding_kernel);

namespace {

// The kernels are chosen once: asking the dispatcher each time costs as much as a vector of normals.
struct Kernels {
  decltype(&HWY_STATIC_DISPATCH(pairs_kernel)) make_pairs;
  decltype(&HWY_STATIC_DISPATCH(rounding_kernel)) round_pairs;

  Kernels() noexcept {
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    make_pairs = &HWY_DYNAMIC_DISPATCH(pairs_kernel);
    round_pairs = &HWY_DYNAMIC_DISPATCH(rounding_kernel);
  }
};

const Kernels& kernels() noexcept {
  static const Kernels chosen;
  return chosen;
}

}  // namespace

void make_pairs(PairBits bits, double* cosines, double* sines) noexcept { kernels().make_pairs(bits, cosines, sines); }

std::size_t round_pairs(const double* cosines, const double* sines, const Rounding& rounding, std::span<double> noise,
                        std::uint16_t* doubtful) noexcept {
  return kernels().round_pairs(cosines, sines, rounding, noise, doubtful);
}

}  // namespace sotto
#endif
