#include "sotto/methods/sampled_descent.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/methods/row_count.h"
#include "sotto/optim/gradient_sum.h"
#include "sotto/privacy/poisson_coins.h"

namespace sotto {

namespace {

std::uint64_t default_batch_rows(std::uint64_t rows) {
  constexpr std::uint64_t kFewest = 500, kMostBatches = 2000;
  return std::max(kFewest, rows / kMostBatches + (rows % kMostBatches != 0));
}

}  // namespace

SampledRun sampled_run(const SampledChoice& choice, const PlanInput& input) {
  constexpr double kMaxSteps = 0x1p28;
  check_input(input);
  require(choice.passes > 0 && std::isfinite(choice.passes), "passes", "must be above 0");
  require(choice.clip >= 0 && std::isfinite(choice.clip), "clip", "must be at least 0");
  const RowCount count = row_count(input, choice.declared_rows);
  const LossConstants constants = constants_of(input.problem.loss, stored_norm(input.facts), input.facts.classes);
  SampledRun run;
  run.rows = count.nominal;
  run.capacity = count.capacity;
  const std::uint64_t batch_rows = choice.batch_rows > 0 ? choice.batch_rows : default_batch_rows(count.nominal);
  run.batch_rows = std::min(batch_rows, count.nominal);
  run.rate = exact_rate(static_cast<double>(run.batch_rows) / static_cast<double>(run.rows));
  const double steps = std::ceil(choice.passes * static_cast<double>(run.rows) / static_cast<double>(run.batch_rows));
  require(steps <= kMaxSteps, "passes", "more than 2^28 steps");
  run.steps = static_cast<std::uint64_t>(steps);
  const bool clips = choice.clip > 0 && choice.clip < constants.lipschitz;
  run.clip = clips ? choice.clip : constants.lipschitz;
  run.clip_at = clips ? choice.clip : std::numeric_limits<double>::infinity();
  run.weights = weight_count(input.problem.loss, input.facts);
  run.grid = narrow_grid(run.clip, run.capacity);
  return run;
}

// One row more, or less, moves a sum of integers by its own alone, whatever the batch (spec 5.5). A batch of a mean of M
// rows has more than k = 8 M + 200 with probability at most exp(-k ln(k/M) + k - M) < 2^-300, so that its table of sizes
// has at most k + 1 entries.
SampledShape sampled_shape(const SampledRun& run) {
  const double mean = run.rate * static_cast<double>(run.capacity);
  const double most = std::min(static_cast<double>(run.capacity), 8 * mean + 200);
  const double rounding = added_distance(run.grid, run.weights, false) / 2;  // which enters twice
  return {run.clip, rounding, run.rate, run.steps, run.weights, coins_distance(most + 1)};
}

}  // namespace sotto
