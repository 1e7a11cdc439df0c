// What: calibration of the four mechanisms and their draws on the grid of spec 5.2.
// Formula: g = 2^floor(log2(Delta/(1024 sqrt d))), Delta' = Delta + g sqrt d;
//   l2_laplace scale Delta'/e; gaussian sigma = Delta'/mu, delta_G(mu sqrt(times); epsilon) <= delta - delta_num;
//   discrete_laplace scale sqrt d Delta'/(e g); discrete_gaussian sigma = Delta'/sqrt(2 rho);
//   delta_num = (1 + exp(epsilon)) tau for every draw (spec 5.2).
// Conditions: `times` releases touch a row in sequence, parts are disjoint.
// Reference: [Dwork06], [Balle18, Theorem 8], [Canonne20, Theorem 14], [Mironov12] for why a grid.
// Fails if wrong: Mechanism.* (scales against independent values, empirical variance, distinguishing game).
#include "sotto/privacy/mechanism.h"

#include <cmath>
#include <type_traits>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/random/grid_noise.h"

namespace sotto {
namespace {

constexpr double kUp = 1 + 0x1p-50;  // relative, covers a few roundings
constexpr double kDown = 1 - 0x1p-50;
constexpr double kMaxPureDelta = 1e-9;

double root(std::size_t dimension) { return std::sqrt(static_cast<double>(dimension)); }

/// value >= 0 as a fraction with a power-of-two denominator, rounded up.
struct Fraction {
  std::uint64_t numerator;
  std::uint64_t denominator;
};
Fraction fraction_up(double value) {
  int shift = 0;
  while (shift < 40 && value < 0x1p40) {
    value *= 2;
    ++shift;
  }
  return {static_cast<std::uint64_t>(std::ceil(value)), std::uint64_t{1} << shift};
}

double grid_distance(const ReleaseShape& shape) {
  const double draws = static_cast<double>(shape.times) * static_cast<double>(shape.parts);
  return grid_noise_distance(shape.dimension) * draws * kUp;
}
double grid_delta(const ReleaseShape& shape, double epsilon) { return (1 + std::exp(epsilon)) * grid_distance(shape); }

template <class Noise>
Noise make_noise(const ReleaseShape& shape) {
  Noise noise;
  noise.sensitivity = shape.sensitivity;
  noise.dimension = shape.dimension;
  noise.grid = make_grid(shape.sensitivity, shape.dimension);
  return noise;
}

template <class Noise>
Calibrated finish(Noise noise, const ReleaseShape& shape, const Budget& budget, double delta_num) {
  const double most = std::is_same_v<Noise, DiscreteGaussianNoise> ? kMaxDiscreteSigma : kMaxStddev;
  require(noise.stddev() / noise.grid.step <= most, "epsilon",
          "the noise would be too large for its grid; raise epsilon or delta");
  Calibrated result{{noise, budget.epsilon, 0, delta_num, 0}, shape.times, shape.parts};
  if (delta_num > 0) result.distance = grid_distance(shape);
  const Charge charges[] = {result.charge()};
  result.delta = composed_delta(charges, budget.epsilon) + delta_num;
  if (!(result.delta <= std::fmax(budget.delta, delta_num))) {
    throw Error(ErrorKind::internal, "the calibrated noise does not recompute to the budget");
  }
  return result;
}

MechanismChoice resolve(MechanismChoice choice, const ReleaseShape& shape, const Budget& budget) {
  if (choice != MechanismChoice::automatic) return choice;
  if (budget.delta > 0) {
    const bool covered = grid_delta(shape, budget.epsilon) <= budget.delta / 2;
    return covered ? MechanismChoice::gaussian : MechanismChoice::discrete_gaussian;
  }
  return grid_delta(shape, budget.epsilon) <= kMaxPureDelta ? MechanismChoice::l2_laplace
                                                            : MechanismChoice::discrete_laplace;
}

double epsilon_of_each(const ReleaseShape& shape, const Budget& budget) {
  return budget.epsilon / static_cast<double>(shape.times) * kDown;
}

Calibrated calibrate_discrete_laplace(const ReleaseShape& shape, const Budget& budget) {
  auto noise = make_noise<DiscreteLaplaceNoise>(shape);
  noise.epsilon = epsilon_of_each(shape, budget);
  return finish(noise, shape, budget, 0);
}

Calibrated calibrate_l2_laplace(const ReleaseShape& shape, const Budget& budget) {
  const double delta_num = grid_delta(shape, budget.epsilon);
  require(delta_num <= kMaxPureDelta, "mechanism",
          "l2_laplace at this epsilon has a numerical delta of " + number_text(delta_num) +
              "; use discrete_laplace, which is exact");
  auto noise = make_noise<L2LaplaceNoise>(shape);
  noise.epsilon = epsilon_of_each(shape, budget);
  return finish(noise, shape, budget, delta_num);
}

void require_delta(const Budget& budget) { require(budget.delta > 0, "delta", "this mechanism needs delta above 0"); }

Calibrated calibrate_discrete_gaussian(const ReleaseShape& shape, const Budget& budget) {
  require_delta(budget);
  auto noise = make_noise<DiscreteGaussianNoise>(shape);
  // The conversion is a search for an order: its delta may rise by a few roundings where rho falls by fewer.
  constexpr double kBelow = 1 - 0x1p-40;
  noise.rho = zcdp_rho(budget.epsilon, budget.delta) / static_cast<double>(shape.times) * kBelow;
  return finish(noise, shape, budget, 0);
}

Calibrated calibrate_gaussian(const ReleaseShape& shape, const Budget& budget) {
  require_delta(budget);
  const double delta_num = grid_delta(shape, budget.epsilon);
  require(delta_num <= budget.delta / 2, "delta",
          "must be at least " + number_text(2 * delta_num) +
              " for gaussian noise, which has a numerical delta; use discrete_gaussian, which is exact");
  auto noise = make_noise<GaussianNoise>(shape);
  const double times = static_cast<double>(shape.times);
  noise.mu = gaussian_mu(budget.epsilon, budget.delta - delta_num) / std::sqrt(times) * kDown;
  return finish(noise, shape, budget, delta_num);
}

}  // namespace

Grid make_grid(double sensitivity, std::size_t dimension) {
  require(sensitivity > 1e-200 && sensitivity < 1e200, "l2_sensitivity", "must be positive and finite");
  require(dimension > 0, "features", "must be above 0");
  Grid grid;
  grid.step = std::exp2(std::floor(std::log2(sensitivity / (1024 * root(dimension)))));
  while (grid.step * 1024 * root(dimension) > sensitivity) grid.step /= 2;
  grid.sensitivity = (sensitivity + grid.step * root(dimension)) * kUp;
  return grid;
}

double L2LaplaceNoise::stddev() const noexcept { return scale() * std::sqrt(static_cast<double>(dimension) + 1); }
void L2LaplaceNoise::draw(BitSource& bits, std::span<std::int64_t> noise) const {
  draw_l2_laplace(bits, scale() / grid.step * kUp, dimension, noise);
}
void L2LaplaceNoise::draw_on_grid(BitSource& bits, std::span<double> noise) const {
  draw_l2_laplace(bits, GridScale{scale() / grid.step * kUp, grid.step}, dimension, noise);
}

void GaussianNoise::draw(BitSource& bits, std::span<std::int64_t> noise) const {
  draw_gaussian(bits, scale() / grid.step * kUp, noise);
}
void GaussianNoise::draw_on_grid(BitSource& bits, std::span<double> noise) const {
  draw_gaussian(bits, GridScale{scale() / grid.step * kUp, grid.step}, noise);
}

double DiscreteLaplaceNoise::scale() const noexcept { return root(dimension) * grid.sensitivity / epsilon; }
double DiscreteLaplaceNoise::stddev() const noexcept { return std::sqrt(2.0) * scale(); }
void DiscreteLaplaceNoise::draw(BitSource& bits, std::span<std::int64_t> noise) const {
  const Fraction scale_in_steps = fraction_up(scale() / grid.step * kUp);
  draw_discrete_laplace(bits, scale_in_steps.numerator, scale_in_steps.denominator, noise);
}

double DiscreteGaussianNoise::scale() const noexcept { return grid.sensitivity / std::sqrt(2 * rho); }
void DiscreteGaussianNoise::draw(BitSource& bits, std::span<std::int64_t> noise) const {
  const double sigma = scale() / grid.step * kUp;
  const Fraction variance = fraction_up(sigma * sigma * kUp);
  draw_discrete_gaussian(bits, variance.numerator, variance.denominator, noise);
}

Calibrated calibrate(MechanismChoice choice, const ReleaseShape& shape, const Budget& budget) {
  budget.check();
  if (shape.parts > 1 && budget.relation == Relation::add_remove) {
    throw Error(ErrorKind::unsupported,
                "relation: disjoint parts are by position here, which removing a row changes; use replace_one",
                "relation");
  }
  switch (resolve(choice, shape, budget)) {
    case MechanismChoice::automatic: break;  // resolved above
    case MechanismChoice::l2_laplace: return calibrate_l2_laplace(shape, budget);
    case MechanismChoice::gaussian: return calibrate_gaussian(shape, budget);
    case MechanismChoice::discrete_laplace: return calibrate_discrete_laplace(shape, budget);
    case MechanismChoice::discrete_gaussian: return calibrate_discrete_gaussian(shape, budget);
  }
  throw Error(ErrorKind::internal, "no mechanism was chosen");
}

Mechanism for_sensitivity(const Mechanism& mechanism, double sensitivity) {
  return std::visit(
      [&]<class M>(const M& whole) -> Mechanism {
        if (!(sensitivity > 0 && sensitivity < whole.sensitivity)) return whole;
        M smaller = whole;
        smaller.sensitivity = sensitivity;
        smaller.grid = make_grid(sensitivity, whole.dimension);
        const double most = std::is_same_v<M, DiscreteGaussianNoise> ? kMaxDiscreteSigma : kMaxStddev;
        if (smaller.stddev() / smaller.grid.step <= most) return smaller;
        return whole;
      },
      mechanism);
}

}  // namespace sotto
