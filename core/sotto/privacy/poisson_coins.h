#pragma once
#include <cstdint>
#include <vector>

#include "sotto/random/bit_source.h"

namespace sotto {

/// The nearest rate at or above `rate`, in (0, 1], that coins of 64 bits have exactly.
double exact_rate(double rate);

/// Positions 0 to rows - 1, each independently with probability `rate`, ascending, appended to `positions`. The law is
/// exact for a rate of exact_rate(): a coin is a lazily extended uniform number compared bit by bit with the rate.
void draw_poisson_batch(BitSource& bits, double rate, std::uint64_t rows, std::vector<std::uint64_t>& positions);

}  // namespace sotto
