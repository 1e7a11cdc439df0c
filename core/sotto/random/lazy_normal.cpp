// A pair of normal numbers from two lazily extended uniforms, in binary64 with its error and in 192-bit arithmetic.
// Binary64: from u or from 1 - u, whichever is smaller and so known with small relative error; the angle from its
// distance to the nearest quarter turn. With libm within 1 ulp: -2 ln u right to 2^-50 relative, hence r to 2^-50;
// angle to 2^-52, sine and cosine to 2^-51. All errors together stay below r 2^-48, r < 8.4.
// Fails if wrong: random_grid_noise_test (320-bit reference over the same digits at scales up to 2^45).
#include "sotto/random/lazy_normal.h"

#include <boost/math/constants/constants.hpp>
#include <limits>
#include <numbers>

namespace sotto {
namespace {

constexpr std::uint64_t kOne = std::uint64_t{1} << LazyPair::kLeadBits;
constexpr double kUnit = 0x1p-48;

// -2 ln u
double squared_radius(const LazyDigits& u) noexcept {
  if (u.lead < kOne / 2) return -2.0 * std::log((static_cast<double>(u.lead) + u.rest()) * kUnit);
  const double complement = (static_cast<double>(kOne - 1 - u.lead) + (1.0 - u.rest())) * kUnit;
  return -2.0 * std::log1p(-complement);
}

}  // namespace

LazyPair::Rounded LazyPair::rounded() const noexcept {
  const double radius = std::sqrt(squared_radius(u));
  const std::uint64_t quarter = (v.lead + kOne / 8) / (kOne / 4) % 4;
  const auto offset = static_cast<std::int64_t>(v.lead << 18) >> 18;  // from the nearest quarter turn
  const double turn = (static_cast<double>(offset) + v.rest()) * kUnit;
  double cosine = std::cos(2.0 * std::numbers::pi * turn);
  double sine = std::sin(2.0 * std::numbers::pi * turn);
  if (quarter % 2 == 1) cosine = -std::exchange(sine, cosine);
  if (quarter >= 2) {
    cosine = -cosine;
    sine = -sine;
  }
  // With no leading digit of u or of 1 - u known the relative error of the smaller is not.
  const bool bare = u.lead == 0 || u.lead == kOne - 1;
  return {radius * cosine, radius * sine, bare ? std::numeric_limits<double>::infinity() : radius * 0x1p-48};
}

std::pair<Precise, Precise> LazyPair::precise() const {
  const Precise uniform = u.precise();
  // 240 zeros in a row have no logarithm; anything large enough for the clamp will do.
  const Precise radius = uniform > 0 ? Precise(sqrt(Precise(-2 * log(uniform)))) : Precise(100);
  const Precise angle = boost::math::constants::two_pi<Precise>() * v.precise();
  return {radius * cos(angle), radius * sin(angle)};
}

}  // namespace sotto
