#pragma once
#include <cstdint>
#include <variant>
#include <vector>

#include "sotto/privacy/event.h"

/// The flat form of an event tree. Neighbours differ in one row, which meets one part of every parallel composition; a
/// world is one way in which that can happen, and a guarantee holds if it holds in every world.
namespace sotto {

/// Which pair of neighbours: one row replaced, removed or added.
enum class Side { replace, remove, add };
Relation relation_of(Side side) noexcept;

/// Events without children, and selection, whose child is accounted on its own.
using Leaf =
    std::variant<PureEvent, ApproximateEvent, L2LaplaceEvent, DiscreteLaplaceEvent, ScalarLaplaceEvent,
                 ScalarDiscreteLaplaceEvent, GaussianEvent, DiscreteGaussianEvent, ZcdpEvent, ExponentialEvent,
                 ObjectiveEvent, PoissonSampledEvent, FixedSizeSampledEvent, WithReplacementEvent, SelectionEvent>;

struct Step {
  Leaf leaf;
  std::uint64_t count = 1;
  Side side = Side::replace;
};
using World = std::vector<Step>;

/// Every world of the event under the relation; equal steps are merged and equal worlds dropped. Checks the event.
/// Throws Error{unsupported} where there are more than kMaxWorlds.
std::vector<World> worlds(const Event& event, Relation relation);
inline constexpr std::size_t kMaxWorlds = 256;

}  // namespace sotto
