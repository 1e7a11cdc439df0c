#pragma once
#include <cstdint>
#include <span>

#include "sotto/privacy/accountant/bound.h"
#include "sotto/privacy/accountant/loss_law.h"

namespace sotto {

/// A law and how often it is drawn.
struct LossTerm {
  LossLaw law;
  std::uint64_t count = 1;
};

/// Bounds on epsilon at delta (above 0), or on delta at epsilon, of independent losses, that need no grid. They meet
/// for a single release; of many, the upper one is what basic composition gives, the lower one that of the dearest
/// release alone.
Bound basic_epsilon(std::span<const LossTerm> terms, double delta);
Bound basic_delta(std::span<const LossTerm> terms, double epsilon);

}  // namespace sotto
