#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <variant>

#include "sotto/methods/dpgd.h"
#include "sotto/methods/dpsgd.h"
#include "sotto/methods/objective.h"
#include "sotto/methods/whitened_dpgd.h"

namespace sotto {

/// What `auto` decided: a solver with its parameters, the input it is planned with, in which lambda is filled in, delta
/// may be lowered to 0 and the logistic loss be made straight at negative margins, and its plan.
struct AutoChoice {
  std::variant<Objective, Dpgd, WhitenedDpgd, Dpsgd> solver;
  PlanInput input;
  /// Above 0: the solver sees rows through a public random projection to so many features, which `input` then has.
  std::uint32_t projected_features = 0;
  std::optional<Plan> plan{};
};

/// The best solver for public facts and a budget (spec 7.11, docs/auto.md). It adds no noise of its own: its plan is
/// that of the solver it chooses.
struct Auto {
  static constexpr std::string_view kName = "auto";
  static constexpr std::string_view kSummary =
      "objective, dpgd, whitened_dpgd or dpsgd, their parameters too, by rows, features and budget";
  static constexpr std::string_view kReference = "docs/auto.md";
  std::uint64_t declared_rows = 0;
  double intervals = 0;

  static constexpr auto fields() {
    return std::tuple{field("declared_rows", &Auto::declared_rows,
                            "add_remove only: the public constant used for the number of rows"),
                      field("intervals", &Auto::intervals,
                            "above 0: objective with this share of the budget for confidence intervals; at most 0.5")};
  }

  /// A function of public facts, problem and budget; a lambda above 0 is kept. Throws what the solvers throw.
  AutoChoice choose(const PlanInput& input) const;
  Plan plan(const PlanInput& input) const;
};

}  // namespace sotto
