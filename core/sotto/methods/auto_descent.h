#pragma once
#include "sotto/methods/auto.h"

namespace sotto {

/// The descent that `auto` would choose if there were nothing else: Gaussian sums, whose cost has a rho and a mu. For
/// budgets that are counted in these, where the other choices of `auto` cost more or have no price.
Dpgd auto_descent(const Auto& method, const PlanInput& input);

}  // namespace sotto
