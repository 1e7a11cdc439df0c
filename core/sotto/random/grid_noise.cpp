// The public face of lazy_grid.h, whose card holds the mathematics; digits come from the bit stream.
#include "sotto/random/grid_noise.h"

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/random/lazy_grid.h"

namespace sotto {
namespace {

void check_scale(double scale) {
  if (std::isfinite(scale) && scale > 0.0) return;  // before require: building its message would cost an allocation
  require(false, "scale", "the noise scale must be positive and finite");
}

}  // namespace

std::int64_t lazy::round_precise(const Precise& value) {
  const Precise largest = ldexp(Precise(1), 62);
  const Precise clamped = value > largest ? largest : value < -largest ? Precise(-largest) : value;
  return static_cast<std::int64_t>(Precise(floor(Precise(clamped + 0.5))));
}

void draw_l2_laplace(BitSource& bits, double scale, std::span<std::int64_t> noise) {
  check_scale(scale);
  StreamDigits digits{bits};
  draw_lazy_l2_laplace(digits, scale, noise);
}

void draw_gaussian(BitSource& bits, double scale, std::span<std::int64_t> noise) {
  check_scale(scale);
  StreamDigits digits{bits};
  draw_lazy_gaussian(digits, scale, noise);
}

double grid_noise_distance(std::size_t dimension) noexcept {
  return static_cast<double>(dimension) * (4.0 * 0x1p-70 + 0x1p-100);
}

}  // namespace sotto
