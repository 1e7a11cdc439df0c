#pragma once
#include <cstdint>
#include <string_view>
#include <tuple>

#include "sotto/methods/certified_sum.h"

namespace sotto {

/// Output perturbation: noise on the certified minimiser (spec 7.8).
struct Output {
  static constexpr std::string_view kName = "output";
  static constexpr std::string_view kSummary =
      "certified minimiser, noise on it; every loss, hinge smoothed to huber_svm; lambda above 0";
  static constexpr std::string_view kReference = "[Chaudhuri11, Algorithm 1], approximate minimiser certified";
  MechanismChoice mechanism = MechanismChoice::automatic;
  std::uint64_t declared_rows = 0;
  double tolerance = 0;
  double intervals = 0;

  static constexpr auto fields() {
    return std::tuple{
        field("mechanism", &Output::mechanism, "law of the noise; auto follows delta"),
        field("declared_rows", &Output::declared_rows,
              "under add_remove the public stand-in for the private row count: lambda times this is the curvature"),
        field("tolerance", &Output::tolerance,
              "bound on the gradient of the sum at the minimiser; 0 = so small that its noise hardly shows"),
        field("intervals", &Output::intervals,
              "share of the budget for second moments, from which confidence intervals follow; at most 0.5, 0 = none")};
  }

  Plan plan(const PlanInput& input) const;
};

}  // namespace sotto
