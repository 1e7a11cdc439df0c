#pragma once
#include <cstdint>
#include <span>

#include "sotto/random/bit_source.h"

/// Samplers in binary64 for everything that is not released through the grid: orders, projections, synthetic data,
/// replication. Noise that protects rows is drawn by grid_noise.h.
namespace sotto {

/// Uniform on (0, 1), never 0 or 1.
double draw_uniform(BitSource& bits) noexcept;
/// Uniform on {0, ..., bound - 1}, exactly; bound > 0.
std::uint64_t draw_below(BitSource& bits, std::uint64_t bound) noexcept;
double draw_exponential(BitSource& bits) noexcept;
/// Gamma with the given shape > 0 and scale 1.
double draw_gamma(BitSource& bits, double shape) noexcept;
void draw_normal(BitSource& bits, std::span<double> out) noexcept;
/// Uniform on the unit sphere in out.size() dimensions.
void draw_sphere(BitSource& bits, std::span<double> out) noexcept;
/// Fisher-Yates: every order equally likely.
void shuffle(BitSource& bits, std::span<std::uint64_t> items) noexcept;

}  // namespace sotto
