#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sotto/audit/game.h"
#include "sotto/audit/table.h"

/// The museum: wrong methods of the literature, each run here and broken by evidence. Beside each stands the product's
/// own method under the same test, which must not be flagged.
namespace sotto::audit {

/// What came out of one exhibit, in epsilon at `delta`.
struct Exhibited {
  double claim = 0;
  double delta = 0;
  double lower_bound = 0;  ///< what the wrong method costs at least
  std::string evidence;
  double control_claim = 0;  ///< of the right method
  double control_bound = 0;
  std::string control;
  bool caught() const noexcept { return lower_bound > claim; }
  bool control_holds() const noexcept { return control_bound <= control_claim; }
};

struct Exhibit {
  std::string_view name;
  std::string_view what;       ///< the mistake, in a sentence
  std::string_view reference;  ///< where it is made or exposed
  Exhibited (*show)(const GameRules& rules);
};

/// All of them, in a fixed order.
const std::vector<Exhibit>& museum();

namespace museum_rooms {

Exhibited divided_by_batch(const GameRules& rules);
Exhibited averaged_iterates(const GameRules& rules);
Exhibited short_last_batch(const GameRules& rules);
Exhibited data_dependent_passes(const GameRules& rules);
Exhibited scan_order_add_remove(const GameRules& rules);
Exhibited single_precision(const GameRules& rules);

Exhibited ball_sampler(const GameRules& rules);
Exhibited one_byte_seed(const GameRules& rules);
Exhibited classical_gaussian(const GameRules& rules);
Exhibited noisy_min_sign(const GameRules& rules);
Exhibited float_noise(const GameRules& rules);

Exhibited passes_not_composed(const GameRules& rules);
Exhibited bst14_mini_batch(const GameRules& rules);
Exhibited shuffled_as_poisson(const GameRules& rules);
Exhibited smallest_accountant(const GameRules& rules);
Exhibited expected_batch(const GameRules& rules);

Exhibited scaled_by_data(const GameRules& rules);
Exhibited projected_unclipped(const GameRules& rules);
Exhibited unconverged_objective(const GameRules& rules);

/// A release of f(S) or f(S') with noise for a claimed sensitivity, as a game: what pure epsilon the release has at
/// least. The statistic is the projection on f(S) - f(S'); thresholds lie at both centres and in the middle.
struct Release {
  Vector first, second;
  double sensitivity = 0;
  double epsilon = 1;
};
double released_epsilon(const Release& release, const GameRules& rules);
/// "distance 2.4 is 12 times the sensitivity 0.2 claimed"
std::string distance_text(const Release& release);
/// The value a plan noises once, before its noise; the product's data set clips the rows and its engine feeds them.
Vector noise_free(const TrainRequest& request, const Table& table);

}  // namespace museum_rooms
}  // namespace sotto::audit
