#pragma once
#include "sotto/losses/loss.h"
#include "sotto/privacy/mechanism.h"
#include "sotto/work/run.h"

namespace sotto {

/// Noisy counts of the classes, and the constant model they stand for: weights of the last feature alone.
struct CountsWork {
  Loss loss{};
  Mechanism noise{};

  Outcome run(const Run& run) const;
};

}  // namespace sotto
