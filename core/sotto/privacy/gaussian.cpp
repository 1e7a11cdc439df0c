// What: the analytic calibration of the Gaussian mechanism and the zCDP conversion.
// Formula: delta_G(mu; e) = Phi(-e/mu + mu/2) - exp(e) Phi(-e/mu - mu/2), increasing in mu.
//   zCDP: delta = inf over a > 1 of exp((a-1)(a rho - e)) (1 - 1/a)^a / (a - 1).
// Conditions: none on epsilon or delta. Evaluated with 60 digits, so that the difference of the two tails keeps its
//   leading digits down to 1e-300; the last step rounds to the private side. Below mu = 1e-20, where the tails would
//   cancel, by the bound E[(mu x + mu^2/2 - e)+] = mu (phi(b) - b Phi(-b)), b = e/mu - mu/2, since 1 - e^-u <= u; it
//   is larger than delta_G by a factor of at most 1 + mu.
// Reference: [Balle18, Theorem 8]; [Canonne20, Proposition 12].
// Fails if wrong: Gaussian.* (published values, round trip, tiny shifts), Mechanism.* (audit).
#include "sotto/privacy/gaussian.h"

#include <boost/math/constants/constants.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <functional>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/base/stop.h"

namespace sotto {
namespace {

// The exponent range must hold exp(epsilon) for the largest epsilon and its square's inverse.
using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<60>, boost::multiprecision::et_off>;

Real phi(const Real& x) { return boost::math::erfc(-x / sqrt(Real(2))) / 2; }

constexpr double kCancelling = 1e-20;

/// Not below the profile, and above it by rounding only.
Real exact_delta(double mu, double epsilon) {
  const Real m(mu), e(epsilon);
  if (mu < kCancelling) {
    const Real b = e / m - m / 2;
    return m * (exp(-b * b / 2) / sqrt(2 * boost::math::constants::pi<Real>()) - b * phi(-b));
  }
  return phi(-e / m + m / 2) - exp(e) * phi(-e / m - m / 2);
}

/// Minimum of the conversion over orders by golden-section in log(a - 1); any order is valid, so a miss is safe.
double zcdp_log_delta(double rho, double epsilon) {
  const auto at = [&](double log_excess) {
    const double excess = std::exp(log_excess);
    const double order = 1 + excess;
    return excess * (order * rho - epsilon) - order * std::log1p(1 / excess) - log_excess;
  };
  double low = std::log(1e-6), high = std::log(1e9);
  constexpr double kGolden = 0.6180339887498949;
  for (int i = 0; i < 200; ++i) {
    const double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
    (at(a) < at(b) ? high : low) = at(a) < at(b) ? b : a;
  }
  return at((low + high) / 2);
}

/// The largest x in [low, high] with ok(x), for ok true then false.
double largest(double low, double high, const std::function<bool(double)>& ok) {
  for (int i = 0; i < 200 && std::nextafter(low, high) < high; ++i) {
    check_stop();
    // Halve in the exponent while the bracket is wide, then in value.
    const double middle = high > 2 * low ? std::sqrt(low) * std::sqrt(high) : low + (high - low) / 2;
    if (!(middle > low && middle < high)) break;
    (ok(middle) ? low : high) = middle;
  }
  return low;
}

constexpr double kConversionSlack = 1e-12;  // far above the rounding of the conversion's few operations
constexpr double kMin = 1e-12;
constexpr double kMax = 1e6;

/// Below this the profiles leave the range of binary64, and a delta of 0 would seem to be reached.
void require_representable(double delta) {
  require(delta >= 1e-300, "delta", "must be at least 1e-300, or 0 with a mechanism for pure noise");
}

/// Where the profile is about delta, in binary64: a guess, of which nothing is believed.
double guessed_mu(double epsilon, double delta) {
  const auto tail = [](double x) { return std::erfc(x * 0.70710678118654752) / 2; };
  return largest(kMin, kMax, [&](double mu) {
    return !(tail(epsilon / mu - mu / 2) - std::exp(epsilon) * tail(epsilon / mu + mu / 2) > delta);
  });
}

/// A profile costs tens of microseconds, and halving the whole range takes seventy of them. Around a good guess it is a
/// line: the point where that crosses delta, then a few units in the last place around it.
double solve_gaussian_mu(double epsilon, double delta) {
  const Real wanted(delta);
  const auto over = [&](double mu) -> Real { return exact_delta(mu, epsilon) - wanted; };
  const auto ok = [&](double mu) { return over(mu) <= 0; };
  double low = kMin, high = kMax;
  Real at_low = 1, at_high = -1;                          // not known
  const auto narrow = [&](double middle, double width) {  // to a bracket around `middle`, if it is one
    const double below = middle * (1 - width), above = middle * (1 + width);
    if (!(below > low && above < high)) return;
    const Real at_below = over(below), at_above = over(above);
    if (at_below <= 0) low = below, at_low = at_below;
    if (at_above > 0) high = above, at_high = at_above;
  };
  narrow(guessed_mu(epsilon, delta), 0x1p-32);
  require(
      (at_low <= 0 || ok(low)) && (at_high > 0 || !ok(high)), "delta",
      "no Gaussian noise can be calibrated to epsilon " + number_text(epsilon) + " and delta " + number_text(delta));
  if (at_low <= 0 && at_high > 0) {
    const Real share = at_low / (at_low - at_high);
    narrow(low + static_cast<double>(share) * (high - low), 0x1p-51);
  }
  return largest(low, high, ok);
}

double solve_zcdp_rho(double epsilon, double delta) {
  const auto ok = [&](double rho) { return zcdp_delta(rho, epsilon) <= delta; };
  require(ok(kMin * kMin) && !ok(kMax), "delta",
          "no zCDP noise can be calibrated to epsilon " + number_text(epsilon) + " and delta " + number_text(delta));
  return largest(kMin * kMin, kMax, ok);
}

}  // namespace

double gaussian_delta(double mu, double epsilon) {
  require(mu > 0 && std::isfinite(mu), "mu", "must be above 0 and finite");
  require(epsilon >= 0 && std::isfinite(epsilon), "epsilon", "must be at least 0 and finite");
  const auto value = static_cast<double>(exact_delta(mu, epsilon));
  return value <= 0 ? 5e-324 : std::nextafter(value, 1.0);
}

double gaussian_mu(double epsilon, double delta) {
  require_representable(delta);
  return solve_gaussian_mu(epsilon, delta);
}

double zcdp_delta(double rho, double epsilon) {
  require(rho > 0 && std::isfinite(rho), "rho", "must be above 0 and finite");
  const double log_delta = zcdp_log_delta(rho, epsilon);
  const double delta = std::exp(log_delta + kConversionSlack * (1 + std::fabs(log_delta)));
  return std::fmin(1.0, std::fmax(delta, 5e-324));  // an underflow is rounded up too
}

double zcdp_rho(double epsilon, double delta) {
  require_representable(delta);
  return solve_zcdp_rho(epsilon, delta);
}

}  // namespace sotto
