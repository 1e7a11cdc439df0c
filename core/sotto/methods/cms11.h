#pragma once
#include <string_view>
#include <tuple>

#include "sotto/methods/objective_release.h"

namespace sotto {

/// Objective perturbation with the constants of its first publication: pure, replace_one, logistic. A baseline.
struct Cms11 {
  static constexpr std::string_view kName = "cms11";
  static constexpr std::string_view kSummary = "objective perturbation as first published; pure, logistic; a baseline";
  static constexpr std::string_view kReference = "[Chaudhuri11, Algorithm 2], certified minimiser";
  static constexpr auto fields() { return std::tuple{}; }

  Plan plan(const PlanInput& input) const;
};

}  // namespace sotto
