#pragma once
#include <string>
#include <vector>

#include "sotto/data/facts.h"
#include "sotto/optim/recipe.h"

namespace sotto {

/// The L2 sensitivity of permutation SGD and what is in it.
struct Sensitivity {
  double total = 0;         ///< bound on |A(S) - A(S')| for neighbours under replace_one, rounded outward
  double rounding = 0;      ///< the part of it that pays for binary64 arithmetic (spec 5.4)
  double weight_bound = 0;  ///< public bound W on the norm of any iterate
};

/// One recursion for every schedule, batch size, averaging and order (spec 3.2), for the arithmetic that the recipe names;
/// `diameter` is D of spec 2.2. Its time does not grow with the rows: from some millions of steps on, neighbouring steps
/// are bounded together.
/// Throws Error{unsupported} for a loss that is not smooth, for steps so large that no finite bound holds, and for a
/// plan in which rounding exceeds a quarter of the rest (spec 5.4).
Sensitivity l2_sensitivity(const Recipe& recipe, const Facts& facts, double diameter);

/// The first arithmetic whose rounding is at most 1 percent of the bound; where none is, the one that loses least.
Precision needed_precision(const Recipe& recipe, const Facts& facts, double diameter);

/// What a card says about both: pairs of numbers, and rounding from 1 percent of the bound on.
void add_rounding_remarks(const Sensitivity& bound, Precision precision, std::vector<std::string>& remarks);

}  // namespace sotto
