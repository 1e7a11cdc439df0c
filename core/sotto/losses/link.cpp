// What: the log odds that fit the margins of a descent with clipped logistic slopes.
// Formula: margins t ~ N(0, v^2), labels y of odds e^(k t), slopes g(m) = min(c, 1/(1 + e^m)). k solves E[t y g(y t)] =
//   0: scaling all margins would gain nothing. Curvature: E[-g'(y t)]. Both by the midpoint rule on t = 9 v q^3.
// Conditions: v > 0, 0 < c. c >= 1 clips nothing: k = 1. The left side grows with k and is below 0 at k = 0.
// Reference: docs/notes/link.md.
// Fails if wrong: Link.* (Monte Carlo, descent on drawn rows, limits).
#include "sotto/losses/link.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace sotto {
namespace {

constexpr std::size_t kPoints = 2000;
constexpr double kFarthest = 9;  // deviations: what lies beyond has a share of 1e-18

double logistic_share(double x) noexcept { return 1 / (1 + std::exp(-x)); }

/// Points t > 0 that stand for |t|, denser near 0, where slopes change.
struct MarginGrid {
  std::vector<double> at, share;

  explicit MarginGrid(double deviation) {
    for (std::size_t i = 0; i < kPoints; ++i) {
      const double q = (static_cast<double>(i) + 0.5) / kPoints, t = kFarthest * q * q * q;
      at.push_back(deviation * t);
      share.push_back(3 * kFarthest * q * q / kPoints * std::sqrt(2 / std::acos(-1.0)) * std::exp(-t * t / 2));
    }
  }
};

}  // namespace

double stationary_slope(const FittedMargins& margins) {
  const double clip = margins.slope_clip;
  if (clip >= 1) return 1;
  const MarginGrid grid(margins.deviation);
  std::vector<double> right(kPoints), wrong(kPoints);  // pulls of rows whose label has the sign of t, or not
  for (std::size_t i = 0; i < kPoints; ++i) {
    right[i] = grid.share[i] * grid.at[i] * std::min(clip, logistic_share(-grid.at[i]));
    wrong[i] = grid.share[i] * grid.at[i] * std::min(clip, logistic_share(grid.at[i]));
  }
  const auto pull = [&](double slope) {
    double sum = 0;
    for (std::size_t i = 0; i < kPoints; ++i) {
      const double chance = logistic_share(slope * grid.at[i]);
      sum += chance * right[i] - (1 - chance) * wrong[i];
    }
    return sum;
  };
  double low = 0, high = 1;
  for (int halvings = 0; halvings < 40; ++halvings) {
    const double middle = (low + high) / 2;
    (pull(middle) < 0 ? low : high) = middle;
  }
  return high;
}

double mean_curvature(const FittedMargins& margins, double slope) {
  const MarginGrid grid(margins.deviation);
  double sum = 0;
  for (std::size_t i = 0; i < kPoints; ++i) {
    const double small = logistic_share(-grid.at[i]), chance = logistic_share(slope * grid.at[i]);
    const double unclipped =
        (small < margins.slope_clip ? chance : 0) + (1 - small < margins.slope_clip ? 1 - chance : 0);
    sum += grid.share[i] * small * (1 - small) * unclipped;
  }
  return sum;
}

}  // namespace sotto
