#pragma once
#include <string_view>
#include <tuple>

#include "sotto/methods/plan.h"
#include "sotto/methods/sgd_options.h"

namespace sotto {

/// SGD with differentially private updates: noise on every batch sum (spec 7.2). All iterates may leave.
struct Scs13 {
  static constexpr std::string_view kName = "scs13";
  static constexpr std::string_view kSummary = "permutation SGD, noise on every batch sum; any loss";
  static constexpr std::string_view kReference = "[Song13, equation 6]; several passes by composition";
  SgdOptions sgd{.passes = 1, .step = InverseSqrtStep{}};
  MechanismChoice mechanism = MechanismChoice::automatic;

  static constexpr auto fields() {
    return std::tuple{field("sgd", &Scs13::sgd, ""),
                      field("mechanism", &Scs13::mechanism, "law of the noise; auto follows delta")};
  }

  Plan plan(const PlanInput& input) const;
};

}  // namespace sotto
