#pragma once
#include <span>

#include "sotto/linalg/vector.h"
#include "sotto/methods/plan.h"
#include "sotto/random/bit_source.h"

namespace sotto::report {

/// Whether a release under `made` can be turned into one under `smaller` by adding noise: both add noise of one law,
/// continuous up to the grid, to weights of the same sensitivity.
bool can_add_noise(const Plan& made, const Plan& smaller);

/// Turns weights released under `made` into a draw of what would have been released under `smaller`.
void add_noise(const Plan& made, const Plan& smaller, BitSource& bits, std::span<double> weights);

}  // namespace sotto::report
