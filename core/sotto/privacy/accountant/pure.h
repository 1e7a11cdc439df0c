#pragma once
#include "sotto/privacy/accountant/exact.h"
#include "sotto/privacy/event.h"

namespace sotto {

/// The sums of epsilon and delta over the dearest world, exact.
struct PureSum {
  Exact epsilon;
  Exact delta;  ///< 0 unless approximate events are in the plan
};
/// Basic composition. Throws Error{unsupported} for events without a pure or (epsilon, delta) statement.
PureSum pure_sum(const Event& event, Relation relation);

}  // namespace sotto
