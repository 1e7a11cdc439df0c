#pragma once
#include <cstddef>
#include <vector>

#include "sotto/privacy/mechanism.h"

/// The noise of objective perturbation (spec 7.7): a random linear term in what is minimised and a little noise on the
/// minimiser, which covers that it is approximate.
namespace sotto {

/// What one differing row can do to the sum that is minimised. Its gradient lies in the hull of a few corners;
/// neighbours differ by the difference of two corners: `count` of them have norm at most `norm`. The most expensive
/// comes first.
struct ObjectiveShape {
  struct Corner {
    double norm = 0;
    double count = 1;
  };
  double log_determinant = 0;  ///< bound on the log-ratio of the Jacobians
  std::vector<Corner> corners;
  double curvature = 0;  ///< kappa of (kappa/2)|w|^2, public and the same for neighbours
  std::size_t dimension = 0;
};

/// Both noises of one release and the event they cost together.
struct ObjectiveNoise {
  Mechanism on_objective{};  ///< gaussian, or l2_laplace for delta = 0; on a fine grid
  Mechanism on_release{};    ///< of the same kind, for the distance 2 tolerance / curvature
  ObjectiveShape shape{};
  double epsilon = 0;    ///< at which the guarantee is stated, at most the budget's
  double tolerance = 0;  ///< bound on the gradient of the sum with the ideal noise at what is released

  Event event() const;
  /// Distance of the noise drawn from the ideal noise of the objective; part of the tolerance.
  double rounding() const noexcept;
  /// |v| exceeds this with a probability of at most 2^-70, which delta_num pays for.
  double norm_bound() const noexcept;
  double release_share() const noexcept;  ///< shift or epsilon of the release over that of the objective
  double delta() const;                   ///< at epsilon, delta_num included
  double distance() const noexcept;       ///< of the drawn law from the ideal one, in total variation
  double delta_num() const noexcept;
};

/// The least noise on the objective that fits the budget together with the small share kept for the release.
/// Throws Error{unsupported} naming lambda where the Jacobian alone exceeds epsilon.
ObjectiveNoise calibrate_objective(const ObjectiveShape& shape, const Budget& budget);
/// Noise with given strengths: the Gaussian shifts of the most expensive corner and of the release, or their epsilons
/// if budget.delta is 0. Throws Error{unsupported} where it does not fit the budget.
ObjectiveNoise objective_noise(const ObjectiveShape& shape, const Budget& budget, double strength,
                               double release_strength);
/// The same noise for a minimiser certified to `tolerance`, ObjectiveNoise::rounding() included.
ObjectiveNoise with_tolerance(ObjectiveNoise noise, double tolerance);

/// The largest epsilon up to the budget's at which the distance of the drawn law from the ideal one costs little of
/// delta: a guarantee stated there holds at every larger epsilon.
double objective_epsilon(const ObjectiveShape& shape, const Budget& budget);

}  // namespace sotto
