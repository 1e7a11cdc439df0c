#pragma once
#include <cstdint>

#include "sotto/privacy/budget.h"
#include "sotto/random/bit_source.h"

namespace sotto {

/// What one run, model and score together, may cost so that the best of a Poisson number of runs fits the budget.
struct StoppingTerms {
  double run_rho = 0;    ///< zCDP of one run
  double train_rho = 0;  ///< of its training
  double score_rho = 0;  ///< of its noisy error count
  double epsilon = 0;    ///< what the best of all runs then promises
  double delta = 0;
};
/// Throws Error{invalid_argument} where no run fits. A thousandth of delta is kept for numerical distances.
StoppingTerms stopping_terms(const Budget& budget, std::uint32_t mean_runs);

/// Poisson with a whole mean, exact in integers.
std::uint64_t draw_poisson(BitSource& bits, std::uint32_t mean);

}  // namespace sotto
