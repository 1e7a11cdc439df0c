#pragma once
#include <string_view>
#include <tuple>

#include "sotto/methods/objective_release.h"

namespace sotto {

/// Approximate minima perturbation with the published split of the budget. A baseline.
struct Amp {
  static constexpr std::string_view kName = "amp";
  static constexpr std::string_view kSummary =
      "approximate minima perturbation as published; logistic or huber_svm; a baseline";
  static constexpr std::string_view kReference = "[Iyengar19, Algorithm 1]";
  static constexpr auto fields() { return std::tuple{}; }

  Plan plan(const PlanInput& input) const;
};

}  // namespace sotto
