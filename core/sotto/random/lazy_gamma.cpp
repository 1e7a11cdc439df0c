// The acceptance of Marsaglia and Tsang (formula in lazy_gamma.h), decided in binary64 if the sides differ by more than
// the errors that entered, else in 192-bit arithmetic. Errors in binary64: libm within 1 ulp, a few roundings of the
// terms, and the error of t through the slopes 3 a t^2 and 3 a / t.
// Fails if wrong: random_grid_noise_test (a reference without squeeze, 320 bits, same digits; ties forced by script).
#include "sotto/random/lazy_gamma.h"

namespace sotto {
namespace {

Precise shift_of(double shape) { return Precise(shape) - Precise(1) / 3; }

}  // namespace

LazyGamma::Verdict LazyGamma::judge(const LazyDigits& w) const noexcept {
  const double t = root_;
  if (t < -0x1p-20 && root_error_ < 0x1p-30) return Verdict::rejected;
  // A few leading digits of w leave its logarithm too uncertain, a small t that of t.
  if (!(t > 0x1p-10) || w.lead < std::uint64_t{1} << 12) return Verdict::close;
  const double cube = t * t * t;
  const double log_w = std::log((static_cast<double>(w.lead) + 0.5) * 0x1p-63);
  const double gap = 0.5 * normal_ * normal_ + shape_.shift * (1.0 - cube + 3.0 * std::log(t)) - log_w;
  const double sizes = normal_ * normal_ + 50.0 + shape_.shift * (1.0 + cube + 1.0 / t);
  const double bound = 4.0 * sizes * (root_error_ + normal_error_ + 0x1p-50) + 2.0 / static_cast<double>(w.lead);
  if (!(std::abs(gap) > bound)) return Verdict::close;
  return gap > 0.0 ? Verdict::accepted : Verdict::rejected;
}

LazyGamma::Verdict LazyGamma::judge_precisely(const LazyDigits& w) const {
  const Precise a = shift_of(shape_.shape);
  const Precise x = pair_.precise().first;
  const Precise t = 1 + x / sqrt(Precise(9 * a));
  const Precise uniform = w.precise();
  if (t <= 0 || uniform == 0) return t <= 0 ? Verdict::rejected : Verdict::accepted;
  const Precise right = x * x / 2 + a * (1 - t * t * t + 3 * log(t));
  return log(uniform) < right ? Verdict::accepted : Verdict::rejected;
}

Precise LazyGamma::value() const {
  const Precise a = shift_of(shape_.shape);
  const Precise t = 1 + pair_.precise().first / sqrt(Precise(9 * a));
  return a * t * t * t;
}

}  // namespace sotto
