// Samplers in binary64, each the textbook one: uniforms of 53 bits; Lemire's exact rejection for integers
// [Lemire19]; exponential by inversion; normal by the polar method [Knuth2, 3.4.1 C]; gamma by Marsaglia and Tsang
// [MarsagliaTsang00], shape a < 1 as Gamma(a + 1) U^(1/a); the sphere as a normal vector over its length.
// Not for noise that protects rows: results are binary64 values with binary64 gaps (grid_noise.h).
// Fails if wrong: random_samplers_test (Kolmogorov-Smirnov against the exact distribution functions).
#include "sotto/random/samplers.h"

#include <cmath>
#include <cstddef>
#include <utility>

namespace sotto {
namespace {

std::pair<double, double> draw_normal_pair(BitSource& bits) noexcept {
  for (;;) {
    const double x = 2.0 * draw_uniform(bits) - 1.0;
    const double y = 2.0 * draw_uniform(bits) - 1.0;
    const double r = x * x + y * y;
    if (r >= 1.0 || r == 0.0) continue;
    const double stretch = std::sqrt(-2.0 * std::log(r) / r);
    return {x * stretch, y * stretch};
  }
}

double draw_gamma_above_one(BitSource& bits, double shape) noexcept {
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = draw_normal_pair(bits).first;
    const double root = 1.0 + c * x;
    if (root <= 0.0) continue;
    const double v = root * root * root;
    if (std::log(draw_uniform(bits)) < 0.5 * x * x + d * (1.0 - v + std::log(v))) return d * v;
  }
}

}  // namespace

double draw_uniform(BitSource& bits) noexcept {
  for (;;) {
    const std::uint64_t digits = bits.next() >> 11;
    if (digits != 0) return static_cast<double>(digits) * 0x1p-53;
  }
}

std::uint64_t draw_below(BitSource& bits, std::uint64_t bound) noexcept {
  __extension__ using Wide = unsigned __int128;
  Wide product = Wide{bits.next()} * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t excess = (0 - bound) % bound;  // 2^64 mod bound
    while (static_cast<std::uint64_t>(product) < excess) product = Wide{bits.next()} * bound;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

double draw_exponential(BitSource& bits) noexcept { return -std::log(draw_uniform(bits)); }

double draw_gamma(BitSource& bits, double shape) noexcept {
  if (shape >= 1.0) return draw_gamma_above_one(bits, shape);
  const double boosted = draw_gamma_above_one(bits, shape + 1.0);
  return boosted * std::exp(-draw_exponential(bits) / shape);
}

void draw_normal(BitSource& bits, std::span<double> out) noexcept {
  std::size_t i = 0;
  for (; i + 1 < out.size(); i += 2) {
    const auto pair = draw_normal_pair(bits);
    out[i] = pair.first;
    out[i + 1] = pair.second;
  }
  if (i < out.size()) out[i] = draw_normal_pair(bits).first;
}

void draw_sphere(BitSource& bits, std::span<double> out) noexcept {
  double squared = 0.0;
  while (squared == 0.0 && !out.empty()) {
    draw_normal(bits, out);
    squared = 0.0;
    for (const double x : out) squared += x * x;
  }
  const double length = std::sqrt(squared);
  for (double& x : out) x /= length;
}

void shuffle(BitSource& bits, std::span<std::uint64_t> items) noexcept {
  for (std::size_t left = items.size(); left > 1; --left) {
    std::swap(items[left - 1], items[draw_below(bits, left)]);
  }
}

}  // namespace sotto
