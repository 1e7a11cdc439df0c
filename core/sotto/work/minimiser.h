#pragma once
#include <variant>

#include "sotto/optim/minimiser.h"
#include "sotto/privacy/objective_noise.h"
#include "sotto/work/run.h"

namespace sotto {

/// The minimiser of sum l0 + (curvature/2)|w|^2 over all rows. Noise is on it, in the objective and on it, or nowhere.
struct MinimiserWork {
  Loss loss{};
  double curvature = 0;
  MinimiserOptions options{};
  std::variant<std::monostate, Mechanism, ObjectiveNoise> noise{};

  Outcome run(const Run& run) const;
};

}  // namespace sotto
