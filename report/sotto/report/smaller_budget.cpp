// What: what a method that noises its weights would have released for a smaller epsilon, from what it released.
// Formula: Gaussian: add N(0, s'^2 - s^2). L2-Laplace of scale b in d dimensions is b sqrt(2 G) N(0, I) with
//   G ~ Gamma((d + 1) / 2), and b'^2 G = b^2 G + R in law, R = sum of N ~ Poisson((d + 1) log(b' / b)) terms
//   b'^2 (b / b')^(2 U) E with U uniform and E exponential (a gamma law is self-decomposable): add sqrt(2 R) N(0, I).
// Conditions: noise on the released weights, the same sensitivity under both plans. It is post-processing: it reads no
//   row and costs nothing; given the release, the draws are not independent of it. The grid is left out.
// Reference: spec 4.1, 4.2.
// Fails if wrong: SmallerBudget.*
#include "sotto/report/smaller_budget.h"

#include <cmath>

#include "sotto/random/samplers.h"

namespace sotto::report {
namespace {

/// Variance of a coordinate of the noise that is to be added, drawn anew for each release.
double draw_variance(const GaussianNoise& made, const GaussianNoise& smaller, BitSource&) {
  return smaller.scale() * smaller.scale() - made.scale() * made.scale();
}

double draw_variance(const L2LaplaceNoise& made, const L2LaplaceNoise& smaller, BitSource& bits) {
  const double log_ratio = std::log(smaller.scale() / made.scale());
  const double expected = static_cast<double>(made.dimension + 1) * log_ratio;
  double sum = 0;
  for (double time = draw_exponential(bits); time < expected; time += draw_exponential(bits)) {
    const double shrink = std::exp(-2 * log_ratio * draw_uniform(bits));
    sum += smaller.scale() * smaller.scale() * shrink * draw_exponential(bits);
  }
  return 2 * sum;
}

template <class Law>
constexpr bool kContinuous = std::is_same_v<Law, GaussianNoise> || std::is_same_v<Law, L2LaplaceNoise>;

}  // namespace

bool can_add_noise(const Plan& made, const Plan& smaller) {
  if (made.noise_at != NoiseAt::release || smaller.noise_at != NoiseAt::release || !made.noise || !smaller.noise) {
    return false;
  }
  return std::visit(
      [&]<class Law>(const Law& from) {
        if constexpr (kContinuous<Law>) {
          const auto* to = std::get_if<Law>(&smaller.noise->mechanism);
          return to != nullptr && to->scale() >= from.scale() && to->dimension == from.dimension &&
                 std::fabs(to->sensitivity - from.sensitivity) <= 0.01 * from.sensitivity;
        } else {
          return false;
        }
      },
      made.noise->mechanism);
}

void add_noise(const Plan& made, const Plan& smaller, BitSource& bits, std::span<double> weights) {
  const double variance = std::visit(
      [&]<class Law>(const Law& from) {
        if constexpr (kContinuous<Law>) {
          return draw_variance(from, std::get<Law>(smaller.noise->mechanism), bits);
        } else {
          return 0.0;
        }
      },
      made.noise->mechanism);
  Vector noise(weights.size());
  draw_normal(bits, noise);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] += std::sqrt(variance) * noise[i];
}

}  // namespace sotto::report
