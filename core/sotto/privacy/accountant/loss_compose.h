#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/privacy/accountant/loss_grid.h"

namespace sotto {

/// A law on a grid and how often it is drawn.
struct GridTerm {
  LossGrid grid;
  std::uint64_t count = 1;
};

/// Where the sum is computed: the losses from `low` on, `points` of them; exponentially tilted.
struct SumPlan {
  double tilt = 0;
  std::int64_t low = 0;
  std::size_t points = 0;  ///< even, with small factors
  double above = 0;        ///< exponents of the Chernoff bounds on what lies outside; any are valid
  double below = 0;
  bool extended = false;  ///< transform in long double, where rounding would hide what a fine grid shows
};

/// One of the two sums, that of the upper grids or that of the lower ones.
struct SumHalf {
  /// ln P[S >= x] <= log_moment - exponent x under the tilted law (below: of -S).
  struct Chernoff {
    double exponent = 0, log_moment = 0;
  };
  std::vector<double> weighted;  ///< sum over losses at or above i of e^(-tilt x)(1 - e^(-x)) mass, x from i
  std::vector<double> decaying;  ///< the same of e^(-(tilt+1) x) mass
  double log_scale = 0;          ///< ln of the product of the moments
  double log_size = 0;           ///< the absolute values of what was added up to it
  double mass_error = 0;         ///< in the Euclidean norm, of the computed masses
  double largest_error = 0;      ///< of any of them
  std::vector<Chernoff> above, below;
  double infinite = 0;  ///< P mass at infinite loss
};

struct ComposedSums {
  SumHalf upper, lower;
};
/// Real is double or long double.
template <class Real>
ComposedSums compose(std::span<const GridTerm> terms, const SumPlan& plan);

}  // namespace sotto
