#pragma once
#include <string_view>
#include <tuple>

#include "sotto/methods/objective_release.h"

namespace sotto {

/// Objective perturbation with Gaussian noise as published by Kifer, Smith and Thakurta. A baseline.
struct Kst12 {
  static constexpr std::string_view kName = "kst12";
  static constexpr std::string_view kSummary =
      "objective perturbation, Gaussian as published; logistic or huber_svm; a baseline";
  static constexpr std::string_view kReference = "[Kifer12, Algorithm 1], certified minimiser";
  static constexpr auto fields() { return std::tuple{}; }

  Plan plan(const PlanInput& input) const;
};

}  // namespace sotto
