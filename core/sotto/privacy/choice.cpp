// What: the exponential mechanism over a list of scores, drawn exactly.
// Formula: g = 2^floor(log2(R / (2^20 max(1, e)))), k_i = rint(u_i / g), s = e g / (R + 2 g) rounded down to 62 digits;
//   P(i) = exp(-s (k_max - k_i)) / sum: draw i uniformly, keep it with probability exp(-s (k_max - k_i)), else again.
//   Bernoulli(exp(-x)), x <= 1: the first k at which Bernoulli(x / k) fails is odd; whole units of x one by one.
// Conditions: rounding moves each score by g / 2, so between neighbours the range is at most R + 2 g and the exponents
//   move by amounts that span at most e: pure e, bounded range e, e^2/8 zCDP.
// Reference: [McSherry07, Theorem 6]; [Cesar21] for the range; [Canonne20, Algorithm 1] for the exact coin.
// Fails if wrong: Choice.* (probabilities against exp(e u / R), the loss between neighbours).
#include "sotto/privacy/choice.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/random/samplers.h"

namespace sotto {
namespace {

__extension__ using Wide = __int128;

constexpr int kDigits = 62;
constexpr double kMaxStep = 0x1p84;  // with s < 2^-20 in 62 digits the exponent stays below 2^127

struct ScoreGrid {
  double step = 0;
  std::uint64_t slope = 0;  ///< s in units of 2^-62
};

ScoreGrid make_score_grid(double range, double epsilon) {
  ScoreGrid grid;
  grid.step = std::exp2(std::floor(std::log2(range / (0x1p20 * std::fmax(1, epsilon)))));
  const double slope = epsilon * (grid.step / (range + 2 * grid.step)) * (1 - 0x1p-50);
  grid.slope = static_cast<std::uint64_t>(std::floor(slope * 0x1p62));
  return grid;
}

Wide on_grid(double value, double step) noexcept {
  const double steps = std::rint(value / step);
  if (!(steps > -kMaxStep)) return static_cast<Wide>(-kMaxStep);  // a NaN as well
  return static_cast<Wide>(std::fmin(steps, kMaxStep));
}

/// Bernoulli(exp(-x)), x in [0, 1] given by a coin that shows Bernoulli(x).
template <class Coin>
bool flip_exp(BitSource& bits, const Coin& coin) {
  std::uint64_t k = 1;
  while ((k == 1 || draw_below(bits, k) == 0) && coin()) ++k;
  return k % 2 == 1;
}

/// Bernoulli(exp(-x)), x in units of 2^-62.
bool keep(BitSource& bits, Wide exponent) {
  const auto fraction = static_cast<std::uint64_t>(exponent & ((Wide{1} << kDigits) - 1));
  for (Wide whole = exponent >> kDigits; whole > 0; --whole) {
    if (!flip_exp(bits, [] { return true; })) return false;
  }
  return flip_exp(bits, [&] { return bits.next() >> (64 - kDigits) < fraction; });
}

}  // namespace

void Choice::check() const {
  require(range > 1e-200 && range < 1e200, "range", "must be positive and finite");
  require(epsilon >= 1e-9 && epsilon <= 1e4, "epsilon", "of a choice must lie in [1e-9, 10000]");
  require(!offsets.empty(), "candidates", "must be at least 1");
}

std::size_t Choice::draw(BitSource& bits, std::span<const double> scores) const {
  const ScoreGrid grid = make_score_grid(range, epsilon);
  std::vector<Wide> steps(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const Wide offset = on_grid(offsets[i], grid.step);
    const Wide score = on_grid(scores[i], grid.step) + offset;
    steps[i] = aim == Aim::largest ? score : -score;
    if (std::isnan(scores[i])) steps[i] = -2 * static_cast<Wide>(kMaxStep);
  }
  const Wide best = *std::max_element(steps.begin(), steps.end());
  for (;;) {
    const std::size_t i = draw_below(bits, scores.size());
    const Wide behind = std::min(best - steps[i], static_cast<Wide>(kMaxStep));
    if (keep(bits, behind * static_cast<Wide>(grid.slope))) return i;
  }
}

}  // namespace sotto
