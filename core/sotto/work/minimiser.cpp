#include "sotto/work/minimiser.h"

namespace sotto {

Outcome MinimiserWork::run(const Run& run) const {
  const auto minimum = [&](std::span<const double> linear) {
    return minimise(run.engine, {loss, curvature, linear}, options);
  };
  if (const auto* both = std::get_if<ObjectiveNoise>(&noise)) return {run.curator.release_minimiser(*both, minimum)};
  if (const auto* after = std::get_if<Mechanism>(&noise)) return {run.curator.release(minimum({}), *after)};
  return {run.curator.release_unprotected(minimum({}))};
}

}  // namespace sotto
