// The faster path of spec 5.2: the laws of 4.1 and 4.2 as in lazy_grid.h, but binary32 normals and a binary64 gamma,
// nothing recomputed and nothing on a grid: its low bits tell about the sum it is added to [Mironov12].
// L2-Laplace: scale sqrt(2 V) G, V ~ Gamma((d + 1)/2) [MarsagliaTsang00], G normal.
// Fails if wrong: random_fast_noise_test (radius and direction of the vectors).
#include <algorithm>
#include <array>
#include <cmath>

#include "sotto/random/grid_noise.h"
#include "sotto/random/noise_arguments.h"
#include "sotto/random/noise_kernels.h"
#include "sotto/random/samplers.h"

namespace sotto {
namespace {

constexpr std::size_t kChunkPairs = 128;

struct FastChunk {
  alignas(64) std::array<float, kChunkPairs + kNormalSlack> cosines;
  alignas(64) std::array<float, kChunkPairs + kNormalSlack> sines;
  std::array<std::uint64_t, kChunkPairs / 2> kept;

  /// A word for each pair, and `extra` words that are kept.
  FastChunk(BitSource& bits, std::size_t pairs, std::size_t extra) noexcept {
    const auto words = bits.take(pairs + extra);
    make_fast_pairs(words.first(pairs), cosines.data(), sines.data());
    std::copy(words.begin() + static_cast<std::ptrdiff_t>(pairs), words.end(), kept.begin());
  }
};

/// Gives scale sqrt(2 V), V ~ Gamma(shape), shape >= 1 (lazy_gamma.h, without its care).
class Mixing {
 public:
  Mixing(double scale, double shape) noexcept
      : a_(shape - 1.0 / 3.0), slope_(1.0 / std::sqrt(9.0 * a_)), scale_(scale * std::sqrt(2.0 * a_)) {}

  /// x: a normal number to begin with, word: digits of a uniform.
  double draw(BitSource& bits, double x, std::uint64_t word) const noexcept {
    double t = 1.0 + slope_ * x;
    while (!accepted(x, t, (static_cast<double>(word >> 11) + 0.5) * 0x1p-53)) {
      draw_normal(bits, std::span(&x, 1));
      t = 1.0 + slope_ * x;
      word = bits.next();
    }
    return scale_ * t * std::sqrt(t);
  }

 private:
  bool accepted(double x, double t, double w) const noexcept {
    const double x2 = x * x;
    if (std::abs(t - 1.0) <= 0.5 && w < 1.0 - x2 * x2 * (slope_ * slope_ / 6.0)) return true;
    return t > 0.0 && std::log(w) < 0.5 * x2 + a_ * (1.0 - t * t * t + 3.0 * std::log(t));
  }

  double a_;
  double slope_;
  double scale_;
};

void draw_scaled(BitSource& bits, double factor, std::span<double> out) noexcept {
  while (!out.empty()) {
    const std::size_t lanes = std::min(2 * kChunkPairs, out.size());
    const FastChunk chunk(bits, (lanes + 1) / 2, 0);
    scale_fast_pairs(chunk.cosines.data(), chunk.sines.data(), factor, out.first(lanes));
    out = out.subspan(lanes);
  }
}

}  // namespace

void draw_gaussian_fast(BitSource& bits, double scale, std::span<double> out) {
  check_noise_scale(scale);
  draw_scaled(bits, scale, out);
}

void draw_l2_laplace_fast(BitSource& bits, double scale, std::size_t dimension, std::span<double> out) {
  check_noise_scale(scale);
  check_vectors(dimension, out.size());
  const std::size_t lanes = std::min(2 * kChunkPairs - 2, dimension);
  const std::size_t pairs = (lanes + 1) / 2 + 1;  // the last one begins the gamma number
  const Mixing mixing(scale, 0.5 * (static_cast<double>(dimension) + 1.0));
  while (!out.empty()) {
    const std::size_t vectors = std::min(kChunkPairs / pairs, out.size() / dimension);
    const FastChunk chunk(bits, vectors * pairs, vectors);
    for (std::size_t j = 0; j < vectors; ++j) {
      const std::size_t first = j * pairs;
      const double factor = mixing.draw(bits, static_cast<double>(chunk.cosines[first + pairs - 1]), chunk.kept[j]);
      scale_fast_pairs(chunk.cosines.data() + first, chunk.sines.data() + first, factor, out.first(lanes));
      draw_scaled(bits, factor, out.first(dimension).subspan(lanes));
      out = out.subspan(dimension);
    }
  }
}

void draw_l2_laplace_fast(BitSource& bits, double scale, std::span<double> out) {
  if (!out.empty()) draw_l2_laplace_fast(bits, scale, out.size(), out);
}

}  // namespace sotto
