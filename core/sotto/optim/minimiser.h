#pragma once
#include <cstddef>
#include <cstdint>

#include "sotto/base/sensitive.h"
#include "sotto/linalg/vector.h"
#include "sotto/optim/engine.h"
#include "sotto/optim/perturbed_sum.h"

namespace sotto {

/// When a minimiser is done, and what it may use.
struct MinimiserOptions {
  double tolerance = 0;                          ///< |gradient of J| at the result is at most this, rounding included
  std::uint32_t quick_steps = 2000;              ///< of the quick solver; then come gradient steps, which never fail
  std::uint32_t most_curvature_features = 1024;  ///< up to so many features the curvature matrix guides the steps
  bool sure = true;                              ///< false: no gradient steps, and no certificate where quick ones fail
  unsigned threads = 0;                          ///< 0: one a processor
};

/// A point at which the gradient of J is certified: its computed norm plus the bound on its rounding is at most the
/// tolerance (spec 3.5). How many steps that took, and how, is not told. The tolerance must be SumBounds::reachable();
/// without curvature, or if not `sure`, nothing is certified and the quick steps are all there are. Throws what the
/// engine throws.
Sensitive<Vector> minimise(const Engine& engine, const PerturbedSum& sum, const MinimiserOptions& options);

}  // namespace sotto
