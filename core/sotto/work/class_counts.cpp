#include "sotto/work/class_counts.h"

#include <algorithm>
#include <cmath>

#include "sotto/optim/row_counts.h"
#include "sotto/optim/row_gradients.h"

namespace sotto {

Outcome CountsWork::run(const Run& run) const {
  const Facts facts = run.engine.facts();
  ClassCounts counts(facts);
  sum_rows(run.engine, counts);
  Vector noisy = run.curator.release(counts.take(), noise);
  for (double& count : noisy) count = std::log1p(std::max(0.0, count));
  Vector weights(weight_count(loss, facts), 0.0);
  const std::size_t outputs = weights.size() / facts.features;
  for (std::size_t k = 0; k < outputs; ++k) {
    weights[(k + 1) * facts.features - 1] = outputs == 1 ? noisy[1] - noisy[0] : noisy[k];
  }
  return {weights};
}

}  // namespace sotto
