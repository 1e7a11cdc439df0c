#pragma once
#include "sotto/privacy/accountant/bound.h"
#include "sotto/privacy/event.h"

namespace sotto {

/// upper - lower relative to upper that is aimed at; where rounding does not let it be reached, the bounds stay valid.
inline constexpr double kPldPrecision = 5e-4;

/// Certified bounds on the best epsilon at delta (above 0) and on the best delta at epsilon that the dominating pairs
/// of the plan allow. Infinite where nothing finite holds. Throws Error{unsupported} for events without a pair.
Bound pld_epsilon(const Event& event, Relation relation, double delta, double precision = kPldPrecision);
Bound pld_delta(const Event& event, Relation relation, double epsilon, double precision = kPldPrecision);

}  // namespace sotto
