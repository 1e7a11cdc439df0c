#pragma once
#include "sotto/privacy/event.h"

namespace sotto {

/// The rho of the dearest world, rounded up. Throws Error{unsupported} for events without a rho.
double zcdp_rho_of(const Event& event, Relation relation);
/// The smallest epsilon that rho-zCDP gives at delta by the optimal conversion, rounded up [Canonne20, Proposition 12].
double zcdp_epsilon(double rho, double delta);

}  // namespace sotto
