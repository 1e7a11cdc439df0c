#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "sotto/random/bit_source.h"

/// Integer noise for the release path of spec 5.2.
///
/// Each function fills `noise` with K = rint(Z / g), Z the stated law, `scale` given in units of the grid step g.
/// Computed in binary64 from the leading digits of lazily extended uniforms; whenever a decision (rounding to the
/// nearest integer, acceptance) falls within the error bound of the binary64 computation it is taken again with more
/// digits of the same uniforms in at least 113-bit arithmetic. The error of each coordinate is at most 2^-70 of the
/// grid step.
namespace sotto {

/// Z with density proportional to exp(-|z| / scale) in R^d, d = noise.size() (spec 4.1).
void draw_l2_laplace(BitSource& bits, double scale, std::span<std::int64_t> noise);
/// Independent vectors of `dimension` coordinates, one after the other. This is faster than one call per vector.
void draw_l2_laplace(BitSource& bits, double scale, std::size_t dimension, std::span<std::int64_t> noise);
/// Z ~ N(0, scale^2 I).
void draw_gaussian(BitSource& bits, double scale, std::span<std::int64_t> noise);

/// The same noise as multiples of the grid step, g K, exact while K is below 2^53: from equal bits equal noise.
struct GridScale {
  double in_steps;  ///< the scale in units of the grid step
  double step;      ///< g, a power of two
};
void draw_l2_laplace(BitSource& bits, GridScale scale, std::size_t dimension, std::span<double> noise);
void draw_gaussian(BitSource& bits, GridScale scale, std::span<double> noise);

/// Independent P(k) proportional to exp(-|k| / scale), exact integer arithmetic: scale is the rational
/// numerator / denominator.
void draw_discrete_laplace(BitSource& bits, std::uint64_t numerator, std::uint64_t denominator,
                           std::span<std::int64_t> noise);
/// Independent P(k) proportional to exp(-k^2 / (2 sigma^2)), exact; sigma^2 = numerator / denominator
/// (Canonne, Kamath, Steinke 2020).
void draw_discrete_gaussian(BitSource& bits, std::uint64_t numerator, std::uint64_t denominator,
                            std::span<std::int64_t> noise);

/// The bound tau on the distance of the drawn law from the ideal one, for d coordinates: d (4 * 2^-70 + 2^-100).
double grid_noise_distance(std::size_t dimension) noexcept;

}  // namespace sotto
