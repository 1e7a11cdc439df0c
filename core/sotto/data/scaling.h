#pragma once
#include <algorithm>
#include <cmath>

#include "sotto/data/schema.h"

namespace sotto {

/// The public map of one number: moved into the declared range and scaled to [0, 1]; without a range it passes as it
/// is. (v - min) / (max - min), or log(1 + v - min) / log(1 + max - min). `value` must be finite.
inline double scaled(const NumericColumn& numeric, double value) noexcept {
  if (!numeric.range) return value;
  const double offset = std::clamp(value, numeric.range->min, numeric.range->max) - numeric.range->min;
  const double width = numeric.range->max - numeric.range->min;
  return numeric.scale == NumericScale::log1p ? std::log1p(offset) / std::log1p(width) : offset / width;
}

}  // namespace sotto
