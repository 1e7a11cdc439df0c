#pragma once
#include <cstdint>

#include "sotto/optim/correlated.h"
#include "sotto/privacy/joint_gaussian.h"
#include "sotto/work/run.h"

namespace sotto {

/// Permutation SGD whose noise is correlated over steps.
struct CorrelatedWork {
  CorrelatedDescent::Options descent{};
  RowOrder order = RowOrder::fixed;
  std::uint32_t passes = 1;
  JointGaussian law{};

  Outcome run(const Run& run) const;
};

}  // namespace sotto
