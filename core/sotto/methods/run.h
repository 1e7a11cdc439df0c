#pragma once
#include <cstdint>
#include <functional>
#include <optional>

#include "sotto/data/scan_order.h"
#include "sotto/losses/link.h"
#include "sotto/methods/plan.h"
#include "sotto/optim/engine.h"
#include "sotto/privacy/curator.h"

namespace sotto {

/// What a solver works with: rows through an engine, noise and releases through the curator, whose charges are those of
/// the plan. Everything else it may use is public.
struct Run {
  Engine& engine;
  Curator& curator;
  const PlanInput& input;
  std::function<void(double)> progress;       ///< the fraction of the work done, a function of public counts alone
  std::optional<std::uint64_t> order_seed{};  ///< repeats the order of the rows
  /// Unless null, set by a solver whose scores are no log odds; made of released and public numbers alone.
  Link* link = nullptr;
};

/// The order in which an engine shows its rows: by coins of its own, or by the seed's where one is given.
ScanOrder scan_order(RowOrder kind, const Engine& engine, const std::optional<std::uint64_t>& seed);

}  // namespace sotto
