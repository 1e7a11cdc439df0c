#pragma once
#include <array>
#include <string_view>
#include <tuple>
#include <utility>

#include "sotto/methods/plan.h"
#include "sotto/methods/sgd_options.h"

namespace sotto {

/// corrected: the sensitivity of the recursion of spec 3. published: Wu17's formulas with their division by the batch
/// size, which understate it; for replication only, stamped *not private*.
enum class Calibration { corrected, published };
constexpr auto enum_names(Calibration) {
  return std::array{std::pair{std::string_view("corrected"), Calibration::corrected},
                    std::pair{std::string_view("published"), Calibration::published}};
}

/// Bolt-on private SGD: noise once, at the end (spec 7.1).
struct BoltOn {
  static constexpr std::string_view kName = "bolt_on";
  static constexpr std::string_view kSummary = "permutation SGD, noise once at the end; any smooth loss";
  static constexpr std::string_view kReference = "[Wu17, Algorithms 1 and 2], corrected";
  SgdOptions sgd{};
  MechanismChoice mechanism = MechanismChoice::automatic;
  Calibration calibration = Calibration::corrected;

  static constexpr auto fields() {
    return std::tuple{field("sgd", &BoltOn::sgd, ""),
                      field("mechanism", &BoltOn::mechanism, "law of the noise; auto follows delta"),
                      field("calibration", &BoltOn::calibration,
                            "corrected, or published (Wu17's formulas divided by the batch size: not private)")};
  }

  Plan plan(const PlanInput& input) const;
};

/// Wu17's sensitivity as printed, divided by the batch size (its section 3.2.3). False in the strongly convex case
/// and for averages there (docs/notes/sensitivity.md); never used for a private model.
double published_sensitivity(const SgdOptions& options, const PlanInput& input);

}  // namespace sotto
