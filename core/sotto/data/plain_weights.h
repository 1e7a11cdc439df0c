#pragma once
#include <span>
#include <vector>

#include "sotto/data/encoder.h"

namespace sotto {

/// The part of the public map that is linear: stored = (raw - low) / width for each feature but the intercept. A listed value of a
/// text column and a number on a log scale stay as they are encoded: low 0, width 1.
struct LinearMap {
  std::vector<double> low;
  std::vector<double> width;
};
/// Throws Error{unsupported} where a projection stands between columns and weights.
LinearMap linear_map(const Encoder& encoder);

/// One output after the other: a coefficient for each feature, and the constant term.
struct PlainWeights {
  std::vector<double> coefficients;
  std::vector<double> constants;
};
/// Weights for raw numbers: w.x = coefficients.raw + constant for a row inside the ranges that is not clipped.
/// `weights`: those of every output, one after the other, each with the intercept last if there is one.
PlainWeights plain_weights(const Encoder& encoder, std::span<const double> weights);

}  // namespace sotto
