// Included once for each instruction set (kernels.cpp): the functions of exp.h on vectors, operation by operation.
#if defined(SOTTO_LINALG_EXP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SOTTO_LINALG_EXP_INL
#undef SOTTO_LINALG_EXP_INL
#else
#define SOTTO_LINALG_EXP_INL
#endif

#include "sotto/linalg/exp.h"
#include "sotto/linalg/simd.inl"

HWY_BEFORE_NAMESPACE();
namespace sotto::kernels::HWY_NAMESPACE {

/// c[i] + c[i+1] r + (c[i+2] + c[i+3] r) r^2
template <class D>
HWY_INLINE hn::Vec<D> cubic(D d, const double* c, hn::Vec<D> r, hn::Vec<D> r2) {
  const auto low = hn::Add(hn::Set(d, c[0]), hn::Mul(hn::Set(d, c[1]), r));
  const auto high = hn::Add(hn::Set(d, c[2]), hn::Mul(hn::Set(d, c[3]), r));
  return hn::Add(low, hn::Mul(high, r2));
}

template <class D>
HWY_INLINE hn::Vec<D> exp_negatives(D d, hn::Vec<D> x) {
  using namespace exp_constants;
  const hn::RebindToUnsigned<D> bits;
  const auto shift = hn::Set(d, kRoundingShift);
  const auto shifted = hn::Add(hn::Mul(x, hn::Set(d, kLog2E)), shift);
  const auto k = hn::Sub(shifted, shift);
  const auto r = hn::Sub(hn::Sub(x, hn::Mul(k, hn::Set(d, kLn2High))), hn::Mul(k, hn::Set(d, kLn2Low)));
  const auto r2 = hn::Mul(r, r);
  const auto r4 = hn::Mul(r2, r2);
  const auto low = cubic(d, kTaylor, r, r2);
  const auto middle = cubic(d, kTaylor + 4, r, r2);
  const auto high = cubic(d, kTaylor + 8, r, r2);
  const auto rest = hn::Add(hn::Add(low, hn::Mul(middle, r4)), hn::Mul(high, hn::Mul(r4, r4)));
  const auto exponent = hn::Add(hn::BitCast(bits, shifted), hn::Set(bits, kExponentBias));
  const auto power = hn::BitCast(d, hn::ShiftLeft<kMantissaBits>(exponent));
  const auto result = hn::Mul(hn::Add(hn::Set(d, 1.0), hn::Add(r, hn::Mul(r2, rest))), power);
  return hn::IfThenElse(hn::Lt(hn::Set(d, kZeroFrom), x), result, hn::Zero(d));
}

template <class D>
HWY_INLINE hn::Vec<D> log1p_units(D d, hn::Vec<D> y) {
  using namespace exp_constants;
  const auto half = hn::Set(d, 0.5);
  const auto halved = hn::Ge(y, half);
  const auto f = hn::IfThenElse(halved, hn::Mul(hn::Sub(y, hn::Set(d, 1.0)), half), y);
  const auto s = hn::Div(f, hn::Add(hn::Set(d, 2.0), f));
  const auto z = hn::Mul(s, s);
  auto series = hn::Set(d, 2.0 / 23);
#pragma GCC unroll 16
  for (int denominator = 21; denominator >= 3; denominator -= 2) {
    series = hn::Add(hn::Set(d, 2.0 / denominator), hn::Mul(z, series));
  }
  const auto half_square = hn::Mul(hn::Mul(half, f), f);
  const auto correction = hn::Sub(half_square, hn::Mul(s, hn::Add(half_square, hn::Mul(z, series))));
  const auto large = hn::Add(hn::Set(d, kLn2High), hn::Sub(f, hn::Sub(correction, hn::Set(d, kLn2Low))));
  return hn::IfThenElse(halved, large, hn::Sub(f, correction));
}

template <class D>
HWY_INLINE hn::Vec<D> logs_from_one(D d, hn::Vec<D> x) {
  using namespace exp_constants;
  const hn::RebindToUnsigned<D> unsigned_bits;
  const auto bits = hn::BitCast(unsigned_bits, x);
  const auto exponent = hn::Add(hn::ShiftRight<kMantissaBits>(bits), hn::Set(unsigned_bits, kTwo52Bits));
  const auto k = hn::Sub(hn::BitCast(d, exponent), hn::Set(d, 0x1p52 + kExponentBias));
  const auto mantissa = hn::And(bits, hn::Set(unsigned_bits, kMantissaMask));
  const auto y = hn::Sub(hn::BitCast(d, hn::Or(mantissa, hn::Set(unsigned_bits, kOneBits))), hn::Set(d, 1.0));
  const auto low = hn::Add(log1p_units(d, y), hn::Mul(k, hn::Set(d, kLn2Low)));
  return hn::Add(hn::Mul(k, hn::Set(d, kLn2High)), low);
}

}  // namespace sotto::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
