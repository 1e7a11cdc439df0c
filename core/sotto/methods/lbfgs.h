#pragma once
#include <string_view>
#include <tuple>

#include "sotto/methods/plan.h"

namespace sotto {

/// The minimiser without noise: the reference private solvers are measured against. Its gradient is at most 1e-9 a row,
/// unless thousands of steps do not get there. Never private.
struct Lbfgs {
  static constexpr std::string_view kName = "lbfgs";
  static constexpr std::string_view kSummary = "the minimiser without noise; a reference, not private";
  static constexpr std::string_view kReference = "[Liu89]";
  static constexpr auto fields() { return std::tuple{}; }

  Plan plan(const PlanInput& input) const;
};

}  // namespace sotto
