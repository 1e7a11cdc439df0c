#pragma once
#include <string_view>
#include <tuple>

#include "sotto/methods/plan.h"

namespace sotto {

/// Predicts the class that noisy counts say is the most frequent: what every other method must beat (spec 7.9). A model
/// is weights, so the answer lives in the weight of the last feature, which is the intercept where there is one: the
/// log of the odds of the noisy counts. All other weights are zero.
struct Majority {
  static constexpr std::string_view kName = "majority";
  static constexpr std::string_view kSummary = "the most frequent class by noisy counts; needs an intercept";
  static constexpr std::string_view kReference = "[Dwork06, Example 1]";
  MechanismChoice mechanism = MechanismChoice::automatic;

  static constexpr auto fields() {
    return std::tuple{field("mechanism", &Majority::mechanism, "law of the noise; auto follows delta")};
  }

  Plan plan(const PlanInput& input) const;
};

}  // namespace sotto
