#include "sotto/work/correlated_descent.h"

#include "sotto/work/curated_noise.h"

namespace sotto {

Outcome CorrelatedWork::run(const Run& run) const {
  CuratedNoise noise(run.curator.joint_noise(law));
  CorrelatedDescent sgd(descent, run.engine.facts(), noise);
  scan_passes(run, {order, passes, descent.steps / passes}, sgd, [&] { return sgd.steps_done(); });
  return {run.curator.release_post_processed(std::move(sgd).finish(), noise.sums())};
}

}  // namespace sotto
