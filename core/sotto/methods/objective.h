#pragma once
#include <cstdint>
#include <string_view>
#include <tuple>

#include "sotto/methods/objective_release.h"

namespace sotto {

/// Objective perturbation, tight form (spec 7.7): a random linear term in the objective; the whole training costs one
/// query.
struct Objective {
  static constexpr std::string_view kName = "objective";
  static constexpr std::string_view kSummary =
      "minimiser of the objective with a random linear term; logistic, robust_logistic, huber_svm or softmax, lambda "
      "above 0";
  static constexpr std::string_view kReference = "[Chaudhuri11, Algorithm 2], tight form of docs/notes/objective.md";
  std::uint64_t declared_rows = 0;
  double tolerance = 0;
  double intervals = 0;

  static constexpr auto fields() {
    return std::tuple{
        field("declared_rows", &Objective::declared_rows,
              "under add_remove the public stand-in for the private row count: lambda times this is the curvature"),
        field("tolerance", &Objective::tolerance,
              "bound on the gradient of the sum at the minimiser; 0 = so small that its noise hardly shows"),
        field("intervals", &Objective::intervals,
              "share of the budget for second moments, from which confidence intervals follow; at most 0.5, 0 = none")};
  }

  Plan plan(const PlanInput& input) const;
};

}  // namespace sotto
