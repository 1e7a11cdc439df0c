// The public face of lazy_grid.h, whose card holds the mathematics; digits come from the bit stream.
#include "sotto/random/grid_noise.h"

#include "sotto/random/lazy_grid.h"
#include "sotto/random/noise_arguments.h"

namespace sotto {
std::int64_t lazy::round_precise(const Precise& value) {
  const Precise largest = ldexp(Precise(1), 62);
  const Precise clamped = value > largest ? largest : value < -largest ? Precise(-largest) : value;
  return static_cast<std::int64_t>(Precise(floor(Precise(clamped + 0.5))));
}

void draw_l2_laplace(BitSource& bits, double scale, std::size_t dimension, std::span<std::int64_t> noise) {
  check_noise_scale(scale);
  check_vectors(dimension, noise.size());
  StreamDigits digits{bits};
  draw_lazy_l2_laplace(digits, scale, dimension, lazy::Lanes<std::int64_t>{noise});
}

void draw_l2_laplace(BitSource& bits, GridScale scale, std::size_t dimension, std::span<double> noise) {
  check_noise_scale(scale.in_steps);
  check_vectors(dimension, noise.size());
  StreamDigits digits{bits};
  draw_lazy_l2_laplace(digits, scale.in_steps, dimension, lazy::Lanes<double>{noise, scale.step});
}

void draw_l2_laplace(BitSource& bits, double scale, std::span<std::int64_t> noise) {
  check_noise_scale(scale);
  StreamDigits digits{bits};
  draw_lazy_l2_laplace(digits, scale, noise.size(), lazy::Lanes<std::int64_t>{noise});
}

void draw_gaussian(BitSource& bits, double scale, std::span<std::int64_t> noise) {
  check_noise_scale(scale);
  StreamDigits digits{bits};
  draw_lazy_gaussian(digits, scale, lazy::Lanes<std::int64_t>{noise});
}

void draw_gaussian(BitSource& bits, GridScale scale, std::span<double> noise) {
  check_noise_scale(scale.in_steps);
  StreamDigits digits{bits};
  draw_lazy_gaussian(digits, scale.in_steps, lazy::Lanes<double>{noise, scale.step});
}

double grid_noise_distance(std::size_t dimension) noexcept {
  return static_cast<double>(dimension) * (4.0 * 0x1p-70 + 0x1p-100);
}

}  // namespace sotto
