#pragma once
#include <cstdint>

#include "sotto/privacy/budget.h"
#include "sotto/privacy/event.h"
#include "sotto/privacy/mechanism.h"
#include "sotto/random/bit_source.h"

namespace sotto {

/// What one run, model and score together, may cost so that the best of a Poisson number of runs fits the budget.
struct StoppingTerms {
  double run_rho = 0;    ///< zCDP of one run, where its training has a rho
  double train_rho = 0;  ///< of its training
  double score_rho = 0;  ///< of its noisy error count, of every run
  double epsilon = 0;    ///< what the best of all runs then promises
  double delta = 0;
};
/// Throws Error{invalid_argument} if no run fits. A thousandth of delta is kept for numerical distances.
StoppingTerms stopping_terms(const Budget& budget, std::uint32_t mean_runs);

/// The epsilon of the best of a Poisson number of runs, each the event `run` with its score, at the budget's delta less
/// that thousandth. Throws Error{unsupported} for runs that have no divergence at any order.
double stopping_epsilon(const Event& run, const Budget& budget, std::uint32_t mean_runs);
/// The noise on the error count of a run.
Mechanism score_noise(const StoppingTerms& terms);

/// Poisson with a whole mean, exact in integers.
std::uint64_t draw_poisson(BitSource& bits, std::uint32_t mean);

}  // namespace sotto
