// Discrete Laplace and discrete Gaussian in integer arithmetic [Canonne20, Algorithms 1 to 3]: no rounding anywhere.
//   Bernoulli(exp(-c)), 0 <= c <= 1: the first k at which Bernoulli(c / k) fails is odd;
//   discrete Laplace of scale n/m: u + n v, u uniform below n kept with probability exp(-u/n), v geometric with
//     ratio 1/e; floor of that over m with a random sign, minus zero refused;
//   discrete Gaussian, s^2 = n/m: y discrete Laplace of scale t = floor(s) + 1 kept with probability
//     exp(-(|y| - s^2/t)^2 / (2 s^2)), the exponent being (|y| m t - n)^2 / (2 n m t^2).
// Sizes: n, m < 2^64, t <= 2^32, |y| < 2^64: numerator below 2^322, denominator below 2^194.
// Fails if wrong: random_discrete_noise_test (chi-square against the exact probabilities).
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/random/grid_noise.h"
#include "sotto/random/samplers.h"

namespace sotto {
namespace {

namespace mp = boost::multiprecision;
__extension__ using Wide = unsigned __int128;
using Huge = mp::number<mp::cpp_int_backend<512, 512, mp::unsigned_magnitude, mp::unchecked, void>>;

constexpr std::uint64_t kMax = std::uint64_t{1} << 62;

/// A probability below 1 as its binary digits, 64 at a time: exact for any fraction, and mostly one word decides.
class Fraction {
 public:
  Fraction(const Huge& numerator, const Huge& denominator) : rest_(numerator), denominator_(denominator) {
    first_ = step(rest_);
  }

  bool flip(BitSource& bits) const {
    std::uint64_t word = bits.next();
    if (word != first_) return word < first_;
    Huge rest = rest_;
    for (;;) {
      const std::uint64_t digits = step(rest);
      word = bits.next();
      if (word != digits || rest == 0) return word < digits;
    }
  }

 private:
  std::uint64_t step(Huge& rest) const {
    rest <<= 64;
    const Huge quotient = rest / denominator_;
    rest -= quotient * denominator_;
    return static_cast<std::uint64_t>(quotient);
  }

  Huge rest_;
  Huge denominator_;
  std::uint64_t first_ = 0;
};

/// Bernoulli(exp(-c)), flip() being Bernoulli(c), 0 <= c <= 1.
template <class Flip>
bool flip_exp(BitSource& bits, const Flip& flip) {
  std::uint64_t k = 1;
  while ((k == 1 || draw_below(bits, k) == 0) && flip()) ++k;
  return k % 2 == 1;
}

bool flip_inverse_e(BitSource& bits) {
  return flip_exp(bits, [] { return true; });
}

/// u + n v: P(x) proportional to exp(-x / n), x >= 0; no larger than 2^127.
Wide draw_geometric(BitSource& bits, std::uint64_t n) {
  for (;;) {
    const std::uint64_t u = draw_below(bits, n);
    if (!flip_exp(bits, [&] { return draw_below(bits, n) < u; })) continue;
    Wide v = 0;
    while (flip_inverse_e(bits)) ++v;
    return u + n * v;
  }
}

std::int64_t draw_one_laplace(BitSource& bits, std::uint64_t numerator, std::uint64_t denominator) {
  for (;;) {
    const Wide size = draw_geometric(bits, numerator) / denominator;
    const bool negative = bits.next() >> 63 != 0;
    if (negative && size == 0) continue;
    const auto value = static_cast<std::int64_t>(size < kMax ? static_cast<std::uint64_t>(size) : kMax);
    return negative ? -value : value;
  }
}

/// Bernoulli(exp(-numerator / denominator)) for any fraction >= 0.
bool flip_exp_of(BitSource& bits, const Huge& numerator, const Huge& denominator) {
  const Huge whole = numerator / denominator;
  for (Huge i = 0; i < whole; ++i) {
    if (!flip_inverse_e(bits)) return false;
  }
  const Fraction fraction(numerator - whole * denominator, denominator);
  return flip_exp(bits, [&] { return fraction.flip(bits); });
}

std::uint64_t floor_sqrt(std::uint64_t x) {
  auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(x)));
  while (Wide{root} * root > x) --root;
  while (Wide{root + 1} * (root + 1) <= x) ++root;
  return root;
}

void check_ratio(std::uint64_t numerator, std::uint64_t denominator, const char* field) {
  if (numerator > 0 && denominator > 0) return;
  require(false, field, "numerator and denominator must be positive");
}

}  // namespace

void draw_discrete_laplace(BitSource& bits, std::uint64_t numerator, std::uint64_t denominator,
                           std::span<std::int64_t> noise) {
  check_ratio(numerator, denominator, "scale");
  for (std::int64_t& k : noise) k = draw_one_laplace(bits, numerator, denominator);
}

void draw_discrete_gaussian(BitSource& bits, std::uint64_t numerator, std::uint64_t denominator,
                            std::span<std::int64_t> noise) {
  check_ratio(numerator, denominator, "sigma");
  const std::uint64_t t = floor_sqrt(numerator / denominator) + 1;
  const Huge divisor = Huge(2) * numerator * denominator * t * t;
  const auto keep = [&](std::int64_t y) {
    const Huge product = Huge(static_cast<std::uint64_t>(std::abs(y))) * denominator * t;
    const Huge off = product > numerator ? Huge(product - numerator) : Huge(numerator - product);
    return flip_exp_of(bits, off * off, divisor);
  };
  for (std::int64_t& k : noise) {
    do {
      k = draw_one_laplace(bits, t, 1);
    } while (!keep(k));
  }
}

}  // namespace sotto
