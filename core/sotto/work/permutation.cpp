#include "sotto/work/permutation.h"

#include "sotto/optim/psgd.h"
#include "sotto/work/curated_noise.h"

namespace sotto {

Outcome PermutationWork::run(const Run& run) const {
  const Facts facts = run.engine.facts();
  std::optional<CuratedNoise> noise;
  if (on_batches) noise.emplace(run.curator.step_noise(*on_batches, {recipe.steps(facts.rows), recipe.batch_rows}));
  Psgd psgd(recipe, facts, noise ? &*noise : nullptr);
  scan_passes(run, {order, recipe.passes, recipe.steps_per_pass(facts.rows)}, psgd, [&] { return psgd.steps_done(); });
  Sensitive<Vector> secret = std::move(psgd).finish();
  if (on_release) return {run.curator.release(std::move(secret), *on_release)};
  if (noise) return {run.curator.release_post_processed(std::move(secret), noise->sums())};
  return {run.curator.release_unprotected(std::move(secret))};
}

}  // namespace sotto
