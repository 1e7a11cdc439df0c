#pragma once
#include <cstdint>
#include <vector>

#include "sotto/privacy/accountant/loss_law.h"

namespace sotto {

/// P masses at the losses offset + (first + i) * step, for a pair that dominates the law and one that the law
/// dominates.
struct LossGrid {
  double step = 0;
  double offset = 0;
  std::int64_t first = 0;
  std::vector<double> upper;
  std::vector<double> lower;
  double infinite_upper = 0;  ///< P mass at infinite loss, what was cut off above included
  double infinite_lower = 0;
};

/// What is cut off: P mass above the grid, moved to infinity in `upper`; below it, moved up to the first point.
struct Cut {
  double above = 1e-300;
  double below = 1e-18;
};

/// The smallest and largest loss outside which P keeps at most the cut masses.
struct LossRange {
  double low = 0, high = 0;
};
LossRange range_of(const LossLaw& law, const Cut& cut);

/// Where the points lie. The mass of a rarely sampled release is almost an atom: with a point on it, the step need not
/// be small against its width.
struct GridLine {
  double step = 0;
  double offset = 0;
};
/// The mean loss, as the ratio of masses tells it, of what lies within a step of that mean, where mass is dense.
double mean_of_bulk(const LossLaw& law, const LossRange& range, double step);
LossGrid discretise(const LossLaw& law, const GridLine& line, const LossRange& range);

}  // namespace sotto
