// What: calibration of Gaussian noise for a sequence of vectors that is charged as one event.
// Formula: Delta' = Delta + f g sqrt d with g the largest power of two that keeps f g sqrt d <= Delta/1024;
//   sigma = Delta'/mu, delta_G(mu; epsilon) <= delta - delta_num; delta_num = (1 + e^epsilon) tau, tau over all draws.
// Conditions: Delta and f bound the sequence as a whole: hidden state (optim/hidden_state.h), correlated noise.
// Reference: [Balle18, Theorem 8]; docs/notes/descent.md for the grid.
// Fails if wrong: JointGaussian.*, Dpgd.TheHiddenStateClaimIsTheTruthOnAQuadratic, Correlated.*.
#include "sotto/privacy/joint_gaussian.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/random/grid_noise.h"

namespace sotto {
namespace {

constexpr double kUp = 1 + 0x1p-48;    // relative, covers a few roundings
constexpr double kDown = 1 - 0x1p-40;  // so that the parts of delta add up to no more than the whole

Grid joint_grid(const JointShape& shape) {
  // A grid finer by the factor, of a release of the same sensitivity.
  const Grid finer = make_grid(shape.sensitivity / std::max(1.0, shape.grid_factor), shape.dimension);
  const double rounding = shape.grid_factor * finer.step * std::sqrt(static_cast<double>(shape.dimension));
  return {finer.step, (shape.sensitivity + rounding) * kUp};
}

}  // namespace

NumericalCost numerical_cost(double distance, const Budget& budget) {
  const double most = std::log(budget.delta / (2 * distance) * (1 - 0x1p-40) - 1);
  require(most > 0, "delta",
          "must be at least " + number_text(8 * distance) + " for gaussian noise, which has a numerical delta");
  const double epsilon = std::min(budget.epsilon, most);
  return {epsilon, (1 + std::exp(epsilon)) * distance * kUp, distance * kUp};
}

JointCalibrated calibrate_joint(const JointShape& shape, const Budget& budget) {
  budget.check();
  require(budget.delta > 0, "delta", "must be above 0: this plan adds Gaussian noise");
  const double distance = grid_noise_distance(shape.dimension) * static_cast<double>(shape.draws);
  const NumericalCost cost = numerical_cost(distance, budget);
  GaussianNoise noise;
  noise.sensitivity = shape.sensitivity;
  noise.dimension = shape.dimension;
  noise.grid = joint_grid(shape);
  noise.mu = gaussian_mu(cost.epsilon, (budget.delta - cost.delta) * kDown);
  require(noise.stddev() / noise.grid.step <= kMaxStddev, "epsilon",
          "the noise would be too large for its grid; raise epsilon or delta");
  const double delta = gaussian_delta(noise.mu, cost.epsilon) + cost.delta;
  return {{noise, cost.epsilon, delta, cost.delta, cost.distance}, shape.draws};
}

}  // namespace sotto
