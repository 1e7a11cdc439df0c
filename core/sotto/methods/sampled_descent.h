#pragma once
#include <cstdint>
#include <functional>

#include "sotto/methods/run.h"
#include "sotto/privacy/sampled_gaussian.h"

/// What dpsgd and bst14 share: sums over Poisson batches through the curator, and steps on public weights.
namespace sotto {

/// The public numbers of a sampled run.
struct SampledRun {
  std::uint64_t rows = 0;      ///< m of the formulas
  std::uint64_t capacity = 0;  ///< the most rows a table may have
  std::uint64_t batch_rows = 0;
  std::uint64_t steps = 0;
  double rate = 1;
  double clip = 0;     ///< bound on a row's gradient
  double clip_at = 0;  ///< what RowGradients clips to; infinity where the loss keeps the bound by itself
  std::size_t weights = 0;
};
/// `passes` over the rows in batches of `batch_rows` on average; `clip` 0 stands for the loss's own bound.
struct SampledChoice {
  double passes = 1;
  std::uint64_t batch_rows = 1;
  double clip = 0;
  std::uint64_t declared_rows = 0;
};
SampledRun sampled_run(const SampledChoice& choice, const PlanInput& input);
/// The shape to calibrate, rounding of batch sums included.
SampledShape sampled_shape(const SampledRun& run);

/// Moves public weights by the mean noised gradient of step t = 1, 2, ...
using PublicStep = std::function<void(std::uint64_t t, const Vector& mean_gradient, Vector& weights)>;
/// All steps of the run, from zero weights; returns the last ones.
Vector descend(const SampledRun& shape, const SampledGaussian& law, const Run& run, const PublicStep& step);

/// Scales weights longer than the radius, if it is above 0, to its length.
void project(double radius, Vector& weights) noexcept;

}  // namespace sotto
