// What: a privacy-loss law on a grid, from above and from below.
// Formula: a cell of masses (p, q) between losses s and s + h: b = (p - q e^s)/(1 - e^-h) at s + h and p - b at s keep
//   both masses (connect-the-dots), so the profile only rises. From below: the chord of a cell is lowered at its ends,
//   at both by the gap a b (1 - e^-h)/(a + b e^-h), or at one by what the tangent at the other costs: b (1 - e^-h) at
//   s, or a (e^h - 1) at s + h; near the ends of the range by what rounding up or down costs; concave corners are then
//   cut off. Any convex piecewise linear function below the profile is the profile of a dominated pair.
// Conditions: step > 0; rounding of b is moved to the safe side.
// Reference: [Doroshenko22]; monotonicity under composition: [Zhu22, Theorem 10].
// Fails if wrong: AccountantPld.TheGridBracketsTheProfile, AccountantPld.ClosedFormsLieBetweenTheBounds.
#include "sotto/privacy/accountant/loss_grid.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/stop.h"

namespace sotto {
namespace {

constexpr double kUnit = 0x1p-53;
constexpr double kOnPoint = 1e-8;   // of a step; the accountant's allowance for rounding is larger
constexpr double kForgiven = 1e-5;  // of the mass above the last point, cut off at far less than any delta
constexpr double kLeaning = 2;      // between the masses at the ends of a cell
constexpr double kMaxPoints = 0x1p22;
constexpr double kFarthestPoint = 0x1p52;
constexpr std::size_t kPointsBetweenChecks = 1024;

struct Cell {
  double p = 0;      // P mass
  double up = 0;     // of it at the upper point, rounded up
  double floor = 0;  // of it at the upper point, rounded down
};

/// Mass between two thresholds from whichever tails are smaller, and the rounding error of that difference.
struct Mass {
  double value, error;
};
Mass between(double above_low, double above_high, double below_low, double below_high) {
  const bool use_above = above_low < below_high;
  const double value = use_above ? above_low - above_high : below_high - below_low;
  return {std::max(0.0, value), rounding_of_tail(use_above ? above_low : below_high)};
}

/// `width` is 1 - e^-step.
Cell cell_of(const LossTails& low, const LossTails& high, double loss, double width) {
  const Mass p = between(low.p_above, high.p_above, low.p_below, high.p_below);
  const Mass q = between(low.q_above, high.q_above, low.q_below, high.q_below);
  const double lift = std::exp(loss);
  const double b = (p.value - q.value * lift) / width;
  const double error = (p.error + q.error * lift + 4 * kUnit * p.value) / width;
  // Where Q underflows nothing is known of the loss inside the cell.
  if (!std::isfinite(b) || !std::isfinite(error)) return {p.value, p.value, 0};
  // An atom that rounding alone keeps from the grid point lies on it.
  const bool on_point = error <= kOnPoint * p.value && p.value - b <= error;
  return {p.value, std::clamp(b + error, 0.0, p.value), on_point ? p.value : std::clamp(b - error, 0.0, p.value)};
}

void fill_upper(LossGrid& grid, const std::vector<Cell>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    grid.upper[i] += cells[i].p - cells[i].up;
    grid.upper[i + 1] += cells[i].up;
  }
}

/// How far the profile may be lowered at each point: by the gap of its cells in the middle; towards the ends, where the
/// profile meets the lines 1 - e^loss and 0, by what it costs to round losses up (keeping Q) or down (keeping P).
struct Lowering {
  Lowering(const std::vector<Cell>& cells, double step, double missing);
  std::vector<double> from(std::size_t first) const;

  std::vector<double> gap, up, down;
  /// From where on the lower end is no longer rounded up: the first point where that costs more than a gap, or the last
  /// one before it where it costs little.
  std::size_t at_gap = 0, before_gap = 0;
  std::size_t last = 0;
};

Lowering::Lowering(const std::vector<Cell>& cells, double step, double missing)
    : gap(cells.size() + 1, 0.0), up(cells.size() + 1, missing), down(cells.size() + 1, 0.0), last(cells.size()) {
  const std::size_t n = cells.size();
  const double width = -std::expm1(-step), decay = std::exp(-step), rise = std::expm1(step);
  for (std::size_t i = 0; i < n; ++i) {
    const double a = cells[i].p - cells[i].floor, b = cells[i].floor;
    const double e = a > 0 && b > 0 ? a * (b / (a + b * decay)) * width * (1 + 8 * kUnit) : 0;
    // Where a cell leans to one end, what is lowered at that end alone does not reach into the next cell.
    if (!(a > kLeaning * b)) gap[i + 1] = std::max(gap[i + 1], b > kLeaning * a ? a * rise * (1 + 8 * kUnit) : e);
    if (!(b > kLeaning * a)) gap[i] = std::max(gap[i], a > kLeaning * b ? b * width * (1 + 8 * kUnit) : e);
    up[i + 1] = up[i] + a * rise;
  }
  for (std::size_t i = n; i-- > 0;) down[i] = width * cells[i].floor + decay * down[i + 1];
  const auto is_cheap = [&](std::size_t i) {
    return up[i] < std::max(gap[i], gap[i + 1]) || (up[i] == 0 && cells[i].p == 0);
  };
  while (at_gap < n && is_cheap(at_gap)) ++at_gap;
  before_gap = at_gap;
  while (before_gap > 0 && up[before_gap] > 2 * gap[before_gap]) --before_gap;
  // No point may be lowered by more than rounding down does, or the profile would fall below 0.
  for (std::size_t i = 0; i <= n; ++i) {
    if (down[n - i] < gap[n - i]) last = n - i - std::min<std::size_t>(1, n - i);
  }
}

std::vector<double> Lowering::from(std::size_t first) const {
  if (first >= last) return down;
  std::vector<double> result = gap;
  // At the point where two ways meet both are kept, so that the cells on either side are bounded at both their ends.
  for (std::size_t i = 0; i < first; ++i) result[i] = up[i];
  result[first] = std::max(result[first], up[first]);
  for (std::size_t i = last + 1; i < result.size(); ++i) result[i] = down[i];
  result[last] = std::max(result[last], down[last]);
  return result;
}

/// Removes points of negative mass, splitting it between the neighbours so that the profile elsewhere stays. False if
/// the profile was lowered below 0 by more than `forgiven`, so that no pair has it.
bool cut_corners(std::vector<double>& mass, double step, double forgiven) {
  std::vector<std::size_t> kept;
  // Left of the first point lies e^loss = 0, which carries no P mass: all of it goes to the right.
  const auto drop_first = [&](std::size_t right) {
    if (mass[kept.front()] >= 0) return;
    mass[right] += mass[kept.front()];
    mass[kept.front()] = 0;
    kept.erase(kept.begin());
  };
  for (std::size_t r = 0; r < mass.size(); ++r) {
    kept.push_back(r);
    if (kept.size() == 2) drop_first(r);
    while (kept.size() >= 3 && mass[kept[kept.size() - 2]] < 0) {
      const std::size_t l = kept[kept.size() - 3], i = kept[kept.size() - 2];
      const double whole = -std::expm1(-step * static_cast<double>(r - l));
      const double right = -std::expm1(-step * static_cast<double>(r - i));
      const double left = -std::expm1(-step * static_cast<double>(i - l));
      mass[l] += mass[i] * std::exp(-step * static_cast<double>(i - l)) * right / whole;
      mass[r] += mass[i] * left / whole;
      mass[i] = 0;
      kept.erase(kept.end() - 2);
      if (kept.size() == 2) drop_first(r);
    }
  }
  if (mass.back() >= 0) return true;
  // Nothing but rounding: what is lowered to 0 at the last point carries nothing.
  const bool valid = mass.back() >= -forgiven;
  mass.back() = 0;
  return valid;
}

bool fill_lowered(LossGrid& grid, const std::vector<Cell>& cells, const std::vector<double>& c) {
  const double rise = std::expm1(grid.step), width = -std::expm1(-grid.step);
  for (std::size_t i = 0; i < grid.lower.size(); ++i) {
    double mass = (i < cells.size() ? cells[i].p - cells[i].floor : 0) + (i > 0 ? cells[i - 1].floor : 0);
    if (i < cells.size()) mass -= (c[i + 1] - c[i]) / rise;
    // To the left the profile runs straight to all of P at e^loss = 0.
    mass += i > 0 ? (c[i] - c[i - 1]) / width : c[0];
    grid.lower[i] = mass;
  }
  return cut_corners(grid.lower, grid.step, kForgiven * (grid.infinite_upper - grid.infinite_lower));
}

/// The mean loss of the lower grid, in steps.
double lower_mean(const LossGrid& grid) {
  double sum = 0;
  for (std::size_t i = 0; i < grid.lower.size(); ++i) {
    sum += grid.lower[i] * static_cast<double>(grid.first + static_cast<std::int64_t>(i));
  }
  return sum;
}

/// `missing` is the Q mass below the first point times e^loss there.
void fill_lower(LossGrid& grid, const std::vector<Cell>& cells, double missing) {
  // Losses rounded down, which is always below.
  for (std::size_t i = 0; i < grid.lower.size(); ++i) grid.lower[i] = i < cells.size() ? cells[i].p : 0;
  // Each is below the profile; a mean that is too small would count once for every release.
  const Lowering lowering(cells, grid.step, missing);
  const auto try_from = [&](std::size_t first) {
    const double mean = lower_mean(grid);
    std::vector<double> other = grid.lower;
    std::swap(other, grid.lower);
    const bool valid = fill_lowered(grid, cells, lowering.from(first));
    if (!valid || lower_mean(grid) < mean) std::swap(other, grid.lower);
  };
  try_from(lowering.at_gap);
  if (lowering.before_gap != lowering.at_gap) try_from(lowering.before_gap);
}

}  // namespace

LossRange range_of(const LossLaw& law, const Cut& cut) {
  const auto above = [&](double t) { return law.tails(t).p_above > cut.above; };
  const auto below = [&](double t) { return law.tails(t).p_below > cut.below; };
  const auto edge = [](double inside, double outside, const auto& is_inside) {
    for (int i = 0; i < 40; ++i) {
      const double middle = (inside + outside) / 2;
      (is_inside(middle) ? inside : outside) = middle;
    }
    return outside;
  };
  double high = 1e-12, low = -1e-12;
  while (above(high) && high < 1e8) high *= 2;
  while (below(low) && low > -1e8) low *= 2;
  return {edge(0, low, below), edge(0, high, above)};
}

double mean_of_bulk(const LossLaw& law, const LossRange& range, double step) {
  const auto within = [&](double centre) {
    const LossTails low = law.tails(centre - step), high = law.tails(centre + step);
    return std::pair{between(low.p_above, high.p_above, low.p_below, high.p_below).value,
                     between(low.q_above, high.q_above, low.q_below, high.q_below).value};
  };
  const auto quantile = [&](double share) {
    double left = range.low, right = range.high;
    for (int i = 0; i < 60; ++i) {
      const double middle = (left + right) / 2;
      (law.tails(middle).p_below < share ? left : right) = middle;
    }
    return left;
  };
  // What is almost an atom holds a quarter of the mass or lies at 0.
  double mean = 0, most = within(0).first;
  for (const double share : {0.25, 0.5, 0.75}) {
    const double centre = quantile(share), mass = within(centre).first;
    if (mass > most) mean = centre, most = mass;
  }
  // The bulk has its mean elsewhere, and what is within a step of that another one.
  for (int i = 0; i < 8; ++i) {
    const auto [p, q] = within(mean);
    if (!(p > 0 && q > 0)) break;
    mean = std::clamp(std::log(p / q), mean - step, mean + step);
  }
  return mean;
}

LossGrid discretise(const LossLaw& law, const GridLine& line, const LossRange& range) {
  LossGrid grid;
  const double step = grid.step = line.step, offset = line.offset;
  const bool fits = step > 0 && (range.high - range.low) / step < kMaxPoints &&
                    std::max(std::fabs(range.low - offset), std::fabs(range.high - offset)) / step < kFarthestPoint;
  if (!fits) throw Error(ErrorKind::unsupported, "pld: the losses are too unlike each other for one grid");
  grid.offset = offset;
  grid.first = static_cast<std::int64_t>(std::floor((range.low - offset) / step)) - 1;
  const std::int64_t last = static_cast<std::int64_t>(std::ceil((range.high - offset) / step)) + 1;
  const std::size_t points = static_cast<std::size_t>(last - grid.first + 1);
  grid.upper.assign(points, 0.0);
  grid.lower.assign(points, 0.0);
  const auto loss_at = [&](std::size_t i) {
    return static_cast<double>(grid.first + static_cast<std::int64_t>(i)) * step + offset;
  };
  std::vector<Cell> cells(points - 1);
  const double width = -std::expm1(-step);
  LossTails low = law.tails(loss_at(0));
  grid.upper[0] = low.p_below;
  const double missing = low.q_below * std::exp(loss_at(0)) * (1 + 8 * kUnit);
  for (std::size_t i = 0; i + 1 < points; ++i) {
    if (i % kPointsBetweenChecks == 0) check_stop();
    const LossTails high = law.tails(loss_at(i + 1));
    cells[i] = cell_of(low, high, loss_at(i), width);
    low = high;
  }
  grid.infinite_lower = law.p_infinite;
  grid.infinite_upper = law.p_infinite + low.p_above;
  fill_upper(grid, cells);
  fill_lower(grid, cells, missing);
  return grid;
}

}  // namespace sotto
