#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

/// Exponential and logarithm for the losses, with the same bits on every x86-64 CPU.
///
///   exp_negative(x)       = e^x                 x <= 0, error below 2 ulp; 0 where x < -708 (no denormal results) and
///   where x is NaN,
///                                             so that a slope is one of a row whatever the weights are
///   log1p_unit(y)         = ln(1 + y)           y in [0, 1], error below 2 ulp
///   log_from_one(x)       = ln(x)               x >= 1, error below 3 ulp; a finite number where x is 0
///   log1p_exp_negative(x) = ln(1 + e^x)         x <= 0, error below 4 ulp; softplus(m) = max(m, 0) + this(-|m|)
///
/// e^x = 2^k e^r, k = round(x/ln 2), |r| <= ln(2)/2, e^r by its Taylor series to r^13/13! (remainder 2^-57).
/// ln(1+y): f = y, or f = (y-1)/2 with ln 2 put back when y >= 1/2; s = f/(2+f), ln(1+f) = 2 artanh(s) to s^23.
/// Why not libm: its results differ in the last bit between CPUs with and without fused multiply-add.
/// ln(x) = k ln 2 + ln(1+y), x = 2^k (1+y).
/// The SIMD form in exp.inl repeats these operations in the same order.
/// Tests: linalg_exp_test (errors against long double and 50 digits, bits of the SIMD form).
namespace sotto::kernels {

namespace exp_constants {
/// The double below -708, from where on results are 0.
inline constexpr double kZeroFrom = -708.0 - 0x1p-43;
inline constexpr double kLog2E = 0x1.71547652b82fep+0;
/// 1.5 * 2^52: adding it rounds to the nearest integer, which is then in the low bits of the sum.
inline constexpr double kRoundingShift = 0x1.8p+52;
/// ln 2 in two parts; the first has 21 trailing zero bits, so its product with k is exact.
inline constexpr double kLn2High = 0x1.62e42feep-1;
inline constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
inline constexpr int kExponentBias = 1023;
inline constexpr int kMantissaBits = 52;
inline constexpr std::uint64_t kMantissaMask = (std::uint64_t{1} << kMantissaBits) - 1;
inline constexpr std::uint64_t kOneBits = std::uint64_t{kExponentBias} << kMantissaBits;
/// Of 2^52: an integer below it added to these is that integer plus 2^52.
inline constexpr std::uint64_t kTwo52Bits = std::uint64_t{kExponentBias + kMantissaBits} << kMantissaBits;
/// kTaylor[i] = 1/(i+2)!
inline constexpr double kTaylor[12] = {1.0 / 2,        1.0 / 6,         1.0 / 24,         1.0 / 120,
                                       1.0 / 720,      1.0 / 5040,      1.0 / 40320,      1.0 / 362880,
                                       1.0 / 3628800., 1.0 / 39916800., 1.0 / 479001600., 1.0 / 6227020800.};
}  // namespace exp_constants

/// x < bound ? then : otherwise, by a mask instead of a branch: under step noise the sign of a margin is a coin toss
/// that no processor predicts.
[[gnu::always_inline]] inline double if_less(double x, double bound, double then, double otherwise) noexcept {
  using Lanes [[gnu::vector_size(16)]] = double;
  using Masks [[gnu::vector_size(16)]] = std::int64_t;
  const Masks less = Lanes{x, 0.0} < Lanes{bound, 0.0};
  const Masks chosen =
      (less & std::bit_cast<Masks>(Lanes{then, 0.0})) | (~less & std::bit_cast<Masks>(Lanes{otherwise, 0.0}));
  return std::bit_cast<Lanes>(chosen)[0];
}

// Inlined by force: a copy compiled by a user with contraction on must never be the one the library is linked with.
[[gnu::always_inline]] inline double exp_negative(double x) noexcept {
  using namespace exp_constants;
  const double shifted = x * kLog2E + kRoundingShift;
  const double k = shifted - kRoundingShift;
  const double r = (x - k * kLn2High) - k * kLn2Low;
  const double r2 = r * r;
  const double r4 = r2 * r2;
  const double low = (kTaylor[0] + kTaylor[1] * r) + (kTaylor[2] + kTaylor[3] * r) * r2;
  const double middle = (kTaylor[4] + kTaylor[5] * r) + (kTaylor[6] + kTaylor[7] * r) * r2;
  const double high = (kTaylor[8] + kTaylor[9] * r) + (kTaylor[10] + kTaylor[11] * r) * r2;
  const double rest = (low + middle * r4) + high * (r4 * r4);
  const double power = std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + kExponentBias) << kMantissaBits);
  const double result = (1.0 + (r + r2 * rest)) * power;
  return if_less(kZeroFrom, x, result, 0.0);
}

[[gnu::always_inline]] inline double log1p_unit(double y) noexcept {
  using namespace exp_constants;
  const bool halved = y >= 0.5;
  const double f = halved ? (y - 1.0) * 0.5 : y;
  const double s = f / (2.0 + f);
  const double z = s * s;
  double series = 2.0 / 23;
  for (int denominator = 21; denominator >= 3; denominator -= 2) series = 2.0 / denominator + z * series;
  // 2s = f - s f and s f = f^2/2 - s f^2/2: the leading term f is exact and only a small part is rounded.
  const double half_square = 0.5 * f * f;
  const double correction = half_square - s * (half_square + z * series);
  return halved ? kLn2High + (f - (correction - kLn2Low)) : f - correction;
}

[[gnu::always_inline]] inline double log_from_one(double x) noexcept {
  using namespace exp_constants;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const double k = std::bit_cast<double>((bits >> kMantissaBits) + kTwo52Bits) - (0x1p52 + kExponentBias);
  const double y = std::bit_cast<double>((bits & kMantissaMask) | kOneBits) - 1.0;
  return k * kLn2High + (log1p_unit(y) + k * kLn2Low);
}

[[gnu::always_inline]] inline double log1p_exp_negative(double x) noexcept { return log1p_unit(exp_negative(x)); }

/// ln(1 + e^-m). kernels::logistic_values() has the same bits.
[[gnu::always_inline]] inline double logistic_value(double margin) noexcept {
  return log1p_exp_negative(-std::fabs(margin)) + (margin < 0 ? -margin : 0.0);
}

/// -1/(1 + e^m), the derivative of ln(1 + e^-m), without overflow at any margin: with e = exp_negative(-|m|) it is
/// -(e/(1+e)) for m >= 0 and -(1/(1+e)) for m < 0. kernels::logistic_slopes() has the same bits.
[[gnu::always_inline]] inline double logistic_slope(double margin) noexcept {
  const double e = exp_negative(-std::fabs(margin));
  return -(if_less(margin, 0.0, 1.0, e) / (1.0 + e));
}

}  // namespace sotto::kernels
