// What: the price of one run in a selection over a Poisson number of runs, and that number.
// Formula: run of divergence R(a): the best has R(a) + mean delta' + ln(mean)/(a-1) at every order a, delta' the run's
//   at ln(1 + 1/(a-1)). R(a) = a rho: the largest rho whose conversion gives (epsilon, delta), by bisection; one tenth
//   goes to the score. Poisson(1) from the growth of a uniform permutation: the number of its fixed points in the
//   limit.
// Conditions: runs independent, each with a candidate drawn uniformly; their number secret and unreported.
// Reference: [Papernot22, Theorem 6]; [Duchon16] for the exact Poisson.
// Fails if wrong: RandomStopping.*
#include "sotto/tuning/random_stopping.h"

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/privacy/accountant/rdp.h"
#include "sotto/random/samplers.h"

namespace sotto {

StoppingTerms stopping_terms(const Budget& budget, std::uint32_t mean_runs) {
  budget.check();
  require(
      budget.delta > 0, "delta",
      "must be above 0 for random_stopping: its number of runs is random and has no pure bound; parts needs no delta");
  require(mean_runs > 0 && mean_runs <= 10000, "mean_runs", "must lie between 1 and 10000");
  const auto epsilon_of = [&](double rho) { return stopping_epsilon(ZcdpEvent{rho}, budget, mean_runs); };
  double low = 0, high = 100;
  for (int i = 0; i < 60; ++i) {
    const double middle = low > 0 && high > 2 * low ? std::sqrt(low * high) : (low + high) / 2;
    (epsilon_of(middle) <= budget.epsilon ? low : high) = middle;
    if (low > 0 && high - low < 1e-9 * low) break;
  }
  require(low > 0, "epsilon", "too small for a selection over so many runs");
  StoppingTerms terms;
  terms.run_rho = low;
  terms.score_rho = low / 10;
  terms.train_rho = (low - terms.score_rho) * (1 - 1e-9);
  terms.epsilon = budget.epsilon;
  terms.delta = budget.delta;
  return terms;
}

double stopping_epsilon(const Event& run, const Budget& budget, std::uint32_t mean_runs) {
  const Event best = select_best(run, PoissonRuns{static_cast<double>(mean_runs)});
  return rdp_epsilon(best, budget.relation, budget.delta * 0.999).value;
}

Mechanism score_noise(const StoppingTerms& terms) {
  DiscreteGaussianNoise noise;
  noise.sensitivity = 1;  // one row changes the count by at most 1 under both relations
  noise.dimension = 1;
  noise.grid = make_grid(1, 1);
  noise.rho = terms.score_rho;
  return noise;
}

namespace {

std::uint64_t draw_poisson_one(BitSource& bits) {
  std::uint64_t count = 1, size = 1, barrier = 0;
  for (;; ++size) {
    const std::uint64_t place = draw_below(bits, size + 1);
    if (place < size && place < barrier) return count;
    if (place == size) {
      ++count;
    } else {
      --count;
      barrier = size + 1;
    }
  }
}

}  // namespace

std::uint64_t draw_poisson(BitSource& bits, std::uint32_t mean) {
  std::uint64_t total = 0;
  for (std::uint32_t i = 0; i < mean; ++i) total += draw_poisson_one(bits);
  return total;
}

}  // namespace sotto
