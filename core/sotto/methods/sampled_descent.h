#pragma once
#include <cstdint>

#include "sotto/methods/plan.h"
#include "sotto/privacy/sampled_gaussian.h"

/// What the plans of dpsgd and bst14 share.
namespace sotto {

/// `passes` over the rows in batches of `batch_rows` on average; `clip` 0 stands for the loss's own bound, `batch_rows`
/// 0 for 500 or a 2000th of the public number of rows, whichever is more: a pass is then at most 2000 steps, as each
/// step has its share of delta_num.
struct SampledChoice {
  double passes = 1;
  std::uint64_t batch_rows = 1;
  double clip = 0;
  std::uint64_t declared_rows = 0;
};
SampledRun sampled_run(const SampledChoice& choice, const PlanInput& input);
/// The shape to calibrate, rounding of batch sums included.
SampledShape sampled_shape(const SampledRun& run);

}  // namespace sotto
