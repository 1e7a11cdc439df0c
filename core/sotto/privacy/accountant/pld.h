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

/// A question asked to compare its answer with a target.
struct PldComparison {
  double given = 0;   ///< delta, or epsilon
  double target = 0;  ///< epsilon, or delta; above 0
  double precision = kPldPrecision;
  bool refine = true;  ///< false: the first grid that gives a finite answer is the last one
};
/// The same bounds, no finer than it takes to know on which side of the target they lie. They are as certified.
Bound pld_epsilon_against(const Event& event, Relation relation, const PldComparison& asked);
Bound pld_delta_against(const Event& event, Relation relation, const PldComparison& asked);

}  // namespace sotto
