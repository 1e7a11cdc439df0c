#pragma once
#include <cmath>
#include <cstddef>

#include "sotto/base/error.h"

/// Checks shared by the noise functions. Each looks before it asks `require`, whose message would cost an allocation.
namespace sotto {

inline void check_noise_scale(double scale) {
  if (std::isfinite(scale) && scale > 0.0) return;
  require(false, "scale", "the noise scale must be positive and finite");
}

inline void check_vectors(std::size_t dimension, std::size_t coordinates) {
  if (dimension > 0 && coordinates % dimension == 0) return;
  require(false, "dimension", "the coordinates asked for must be whole vectors of a positive dimension");
}

}  // namespace sotto
