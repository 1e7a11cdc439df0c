#pragma once
#include "sotto/data/facts.h"
#include "sotto/optim/recipe.h"

namespace sotto {

/// The L2 sensitivity of permutation SGD and what is in it.
struct Sensitivity {
  double total = 0;         ///< bound on |A(S) - A(S')| for neighbours under replace_one, rounded outward
  double rounding = 0;      ///< the part of it that pays for binary64 arithmetic (spec 5.4)
  double weight_bound = 0;  ///< public bound W on the norm of any iterate
};

/// How far one computed step may be from the exact one at the same weights, none longer than `weight_bound` (spec 5.4);
/// for steps of any size.
double psgd_step_rounding(const Recipe& recipe, const Facts& facts, double step_size, double weight_bound);

/// One recursion for every schedule, batch size, averaging and order (spec 3.2); `diameter` is D of spec 2.2.
/// Throws Error{unsupported} for a loss that is not smooth, for steps so large that no finite bound holds, and for a
/// plan in which rounding exceeds 1 percent (spec 5.4).
Sensitivity l2_sensitivity(const Recipe& recipe, const Facts& facts, double diameter);

}  // namespace sotto
