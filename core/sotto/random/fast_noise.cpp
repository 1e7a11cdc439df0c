// The faster path of spec 5.2: the laws of 4.1 and 4.2 as in lazy_grid.h, but binary32 normals and a binary64 gamma,
// nothing recomputed and nothing on a grid: its low bits tell about the sum it is added to [Mironov12].
// L2-Laplace: scale sqrt(2 V) G, V ~ Gamma((d + 1)/2) [MarsagliaTsang00], G normal.
// Fails if wrong: random_noise_law_test (radius and direction of the vectors).
#include <algorithm>
#include <array>
#include <cmath>

#include "sotto/random/grid_noise.h"
#include "sotto/random/noise_arguments.h"
#include "sotto/random/noise_kernels.h"
#include "sotto/random/samplers.h"

namespace sotto {
namespace {

static_assert(kFactoredSlack >= kNormalSlack);

/// As many pairs at once as the source has words for. What a chunk writes behind its end the next one writes again.
void fill_normals(BitSource& bits, std::span<float> out) noexcept {
  while (!out.empty()) {
    const auto words = bits.take_some((out.size() + 1) / 2);
    make_fast_pairs(words, out.data(), out.data() + words.size());
    out = out.subspan(std::min(2 * words.size(), out.size()));
  }
}

/// Gives scale sqrt(2 V), V ~ Gamma(shape), shape >= 1 (lazy_gamma.h, without its care).
class Mixing {
 public:
  Mixing(double scale, double shape) noexcept
      : a_(shape - 1.0 / 3.0),
        slope_(1.0 / std::sqrt(9.0 * a_)),
        squeeze_(slope_ * slope_ / 6.0),
        scale_(scale * std::sqrt(2.0 * a_)) {}

  /// x: a normal number to begin with.
  double draw(BitSource& bits, double x) const noexcept {
    double t = 1.0 + slope_ * x;
    while (!accepted(x, t, (static_cast<double>(bits.next() >> 11) + 0.5) * 0x1p-53)) {
      draw_normal(bits, std::span(&x, 1));
      t = 1.0 + slope_ * x;
    }
    return scale_ * t * std::sqrt(t);
  }

 private:
  bool accepted(double x, double t, double w) const noexcept {
    const double x2 = x * x;
    if (std::abs(t - 1.0) <= 0.5 && w < 1.0 - x2 * x2 * squeeze_) return true;
    return t > 0.0 && std::log(w) < 0.5 * x2 + a_ * (1.0 - t * t * t + 3.0 * std::log(t));
  }

  double a_;
  double slope_;
  double squeeze_;
  double scale_;
};

void check(double scale, const FactoredNoise& noise) {
  check_noise_scale(scale);
  if (noise.factors.empty() && noise.normals.empty()) return;
  check_vectors(noise.normals.empty() ? 0 : noise.factors.size(), noise.normals.size());
}

}  // namespace

void draw_gaussian_fast(BitSource& bits, double scale, const FactoredNoise& noise) {
  check(scale, noise);
  fill_normals(bits, noise.normals);
  std::fill(noise.factors.begin(), noise.factors.end(), scale);
}

void draw_l2_laplace_fast(BitSource& bits, double scale, const FactoredNoise& noise) {
  check(scale, noise);
  if (noise.factors.empty()) return;
  fill_normals(bits, noise.normals);
  const std::size_t dimension = noise.normals.size() / noise.factors.size();
  const Mixing mixing(scale, 0.5 * (static_cast<double>(dimension) + 1.0));
  constexpr std::size_t kAtOnce = 64;
  std::array<float, kAtOnce + kNormalSlack> normals;
  for (auto factors = noise.factors; !factors.empty();) {
    const auto some = factors.first(std::min(kAtOnce, factors.size()));
    fill_normals(bits, std::span(normals).first(some.size()));
    for (std::size_t j = 0; j < some.size(); ++j) some[j] = mixing.draw(bits, static_cast<double>(normals[j]));
    factors = factors.subspan(some.size());
  }
}

}  // namespace sotto
