// What: the loops of noisy gradient descent, and the noise of one of its sums.
// Formula: spec 7.5. Composition: every sum through the curator. The noise of a sum follows its sensitivity at the
//   public weights it is taken at, the event stays (docs/notes/diameter.md). Hidden state: noise on the weights of
//   every step.
// Reference: [Dong22, Corollary 3.3]; [Bok24]; [Polyak64] for heavy-ball momentum.
// Fails if wrong: Dpgd.*, Game.Dpgd*, Methods.*
#include "sotto/work/descent.h"

#include <algorithm>
#include <cmath>

#include "sotto/linalg/kernels.h"
#include "sotto/optim/gradient_sum.h"
#include "sotto/optim/recipe.h"
#include "sotto/work/curated_noise.h"

namespace sotto {
namespace {

/// The positions of batch `batch`.
std::pair<std::uint64_t, std::uint64_t> rows_of(const DescentShape& shape, std::uint64_t batch) {
  const std::uint64_t first = batch * shape.batch_rows;
  return {first, std::min(shape.batch_rows, shape.rows - first)};
}

void report(const Run& run, std::uint64_t step, const DescentShape& shape) {
  run.progress(static_cast<double>(step + 1) / static_cast<double>(shape.steps()));
}

}  // namespace

/// A projection onto a ball, up to a factor within 2^-39 of 1, so nothing comes farther apart than it was, nor than
/// the ball is wide.
double clipped_diameter(const LossConstants& constants, double clip, Relation relation) {
  const double apart =
      relation == Relation::replace_one ? constants.diameter_replace_one : constants.diameter_add_remove;
  if (std::isinf(clip)) return apart;
  const double width = relation == Relation::replace_one ? 2 * clip : clip;
  return std::min(apart, width) + 0x1p-38 * clip;
}

Mechanism GradientNoise::at(std::span<const double> weights, const Facts& facts) const {
  const LossConstants anywhere = constants_of(loss, stored_norm(facts), facts.classes);
  // A row across the weights has margin 0 and the same gradient wherever they are: a clip to that or less leaves
  // nothing to spare.
  if (clip <= steepness_across(loss) * anywhere.lipschitz) return largest;
  const double norm = kernels::norm_at_least(weights.data(), weights.size()) * (1 + 0x1p-30);
  const LossConstants here = constants_at(loss, stored_norm(facts), facts.classes, norm);
  // What the plan adds for rounding stays. A margin that is off moves a gradient by the smoothness.
  const double moved = margin_rounding > 0 ? 2 * margin_rounding * norm * anywhere.smoothness : 0;
  const double spared = clipped_diameter(anywhere, clip, relation) - clipped_diameter(here, clip, relation) - moved;
  return spared > 0 ? for_sensitivity(largest, base_of(largest).sensitivity - spared) : largest;
}

Outcome DescentWork::run(const Run& run) const {
  const Facts facts = run.engine.facts();
  const double divisor = static_cast<double>(shape.batch_rows);
  const std::uint64_t averaged = shape.steps() - shape.steps() / 2;
  HeavyBallSteps ball(steps, shape.weights);
  Vector weights(shape.weights, 0.0), average = weights;
  GradientSum sum(noise.loss, facts, shape.grid, shape.clip);
  for (std::uint64_t step = 0; step < shape.steps(); ++step) {
    sum.start(weights);
    if (shape.batches == 1) {
      sum_rows(run.engine, sum);
    } else {
      const auto [first, count] = rows_of(shape, step % shape.batches);
      run.engine.scan_rows(first, count, sum);
    }
    Vector noised = run.curator.release(sum.take(), noise.at(weights, facts));
    for (double& value : noised) value /= divisor;
    ball.step(shape.step_size, noised, weights);
    if (2 * (step + 1) > shape.steps()) {
      kernels::axpy(1 / static_cast<double>(averaged), weights.data(), average.data(), average.size());
    }
    report(run, step, shape);
  }
  switch (averaging) {
    case DescentAverage::last: break;
    case DescentAverage::tail: return {std::move(average)};
  }
  return {std::move(weights)};
}

Outcome HiddenDescentWork::run(const Run& run) const {
  CuratedNoise noise(run.curator.joint_noise(law));
  SecretDescent descent(loss, run.engine.facts(), step, &noise);
  for (std::uint64_t number = 0; number < shape.steps(); ++number) {
    if (shape.batches == 1) {
      descent.step_all(run.engine);
    } else {
      const auto [first, count] = rows_of(shape, number % shape.batches);
      descent.step_rows(run.engine, first, count);
    }
    report(run, number, shape);
  }
  return {run.curator.release_post_processed(std::move(descent).finish(), noise.sums())};
}

}  // namespace sotto
