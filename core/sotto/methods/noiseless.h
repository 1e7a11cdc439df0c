#pragma once
#include <string_view>
#include <tuple>

#include "sotto/methods/plan.h"
#include "sotto/methods/sgd_options.h"

namespace sotto {

/// Permutation SGD without noise: the reference others are measured against. Never private.
struct Noiseless {
  static constexpr std::string_view kName = "noiseless";
  static constexpr std::string_view kSummary = "permutation SGD without noise; a reference, not private";
  static constexpr std::string_view kReference = "[Wu17, section 4.1]";
  SgdOptions sgd{};
  static constexpr auto fields() { return std::tuple{field("sgd", &Noiseless::sgd, "")}; }

  Plan plan(const PlanInput& input) const;
};

}  // namespace sotto
