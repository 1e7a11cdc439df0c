#pragma once
#include <functional>

#include "sotto/algorithms/plan.h"
#include "sotto/optim/engine.h"
#include "sotto/privacy/curator.h"

namespace sotto {

/// What a solver works with: rows through an engine, noise and releases through the curator, whose charges are those of
/// the plan. Everything else it may use is public.
struct Run {
  Engine& engine;
  Curator& curator;
  const PlanInput& input;
  std::function<void(double)> progress;  ///< the fraction of the work done, a function of public counts alone
};

}  // namespace sotto
