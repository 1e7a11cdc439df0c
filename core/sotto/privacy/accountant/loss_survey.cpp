// What: saddle-point estimates that place the grid.
// Formula: delta(K'(t)) ~ exp(K(t) - t K'(t)) / (t (t+1) sqrt(2 pi K''(t))); windows by Chernoff.
// Conditions: none; used for choices only, never for a bound.
// Reference: [Alghamdi23].
// Fails if wrong: AccountantPld.GapsAreBelowTheAskedPrecision (bounds would stay valid, but wide).
#include "sotto/privacy/accountant/loss_survey.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/privacy/accountant/loss_grid.h"

namespace sotto {
namespace {

constexpr int kPointsASide = 70;
constexpr int kEvenPoints = 150;
constexpr double kDecades = 10;

/// Geometric towards 0, where most of the mass of a sampled release lies, and even over the range, for the tails.
std::vector<double> thresholds(const LossRange& range) {
  std::vector<double> all{0};
  for (int i = 0; i <= kPointsASide; ++i) {
    const double fraction = std::pow(10.0, -kDecades * i / kPointsASide);
    all.push_back(range.low * fraction);
    all.push_back(range.high * fraction);
  }
  for (int i = 1; i < kEvenPoints; ++i) all.push_back(range.low + (range.high - range.low) * i / kEvenPoints);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

void LossSurvey::add(const LossLaw& law, std::uint64_t count, double cut_above) {
  Part part;
  part.count = static_cast<double>(count);
  steps_ += part.count;
  const std::vector<double> at = thresholds(range_of(law, Cut{cut_above, 1e-30}));
  LossTails low = law.tails(at.front());
  for (std::size_t i = 1; i < at.size(); ++i) {
    const LossTails high = law.tails(at[i]);
    const double p = low.p_above < high.p_below ? low.p_above - high.p_above : high.p_below - low.p_below;
    const double q = low.q_above < high.q_below ? low.q_above - high.q_above : high.q_below - low.q_below;
    if (p > 1e-307) {
      const double middle = (at[i - 1] + at[i]) / 2;
      part.loss.push_back(q > 1e-300 ? std::clamp(std::log(p / q), at[i - 1], at[i]) : middle);
      part.log_p.push_back(std::log(p));
    }
    low = high;
  }
  largest_ = std::max({largest_, -at.front(), at.back()});
  if (!part.loss.empty()) parts_.push_back(std::move(part));
}

LossSurvey::Cumulants LossSurvey::at(double tilt) const {
  Cumulants total;
  for (const Part& part : parts_) {
    double top = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < part.loss.size(); ++i) top = std::max(top, part.log_p[i] + tilt * part.loss[i]);
    double sum = 0, first = 0, second = 0;
    for (std::size_t i = 0; i < part.loss.size(); ++i) {
      const double weight = std::exp(part.log_p[i] + tilt * part.loss[i] - top);
      sum += weight;
      first += weight * part.loss[i];
      second += weight * part.loss[i] * part.loss[i];
    }
    const double mean = first / sum;
    total.value += part.count * (top + std::log(sum));
    total.mean += part.count * mean;
    total.variance += part.count * std::max(0.0, second / sum - mean * mean);
  }
  return total;
}

double LossSurvey::log_delta(double tilt) const {
  const Cumulants k = at(tilt);
  const double spread = std::sqrt(k.variance) + 1e-300;
  // The prefactor is at most 1 where the tilt is small against the spread.
  const double prefactor = 1 / ((1 + tilt * spread * 2.5066282746310002) * (1 + tilt));
  return std::min(0.0, k.value - tilt * k.mean + std::log(prefactor));
}

double LossSurvey::tilt_for_epsilon(double epsilon) const {
  double low = 0, high = 1;
  while (high < 1e9 && at(high).mean < epsilon) high *= 2;
  for (int i = 0; i < 24; ++i) {
    const double middle = (low + high) / 2;
    (at(middle).mean < epsilon ? low : high) = middle;
  }
  return low;
}

double LossSurvey::tilt_for_delta(double log_delta_wanted) const {
  double low = 0, high = 1;
  while (high < 1e9 && log_delta(high) > log_delta_wanted) high *= 2;
  for (int i = 0; i < 24; ++i) {
    const double middle = (low + high) / 2;
    (log_delta(middle) > log_delta_wanted ? low : high) = middle;
  }
  return low;
}

LossSurvey::Window LossSurvey::window(double tilt, double log_mass) const {
  const Cumulants here = at(tilt);
  const double spread = std::sqrt(here.variance) + 1e-300;
  const double reach = std::max(spread, largest_);
  Window window{here.mean - 1e3 * reach, here.mean + 1e3 * reach, 1 / reach, 1 / reach};
  for (double t = 0.05 / reach; t < 1e3 / spread; t *= 1.6) {
    const double high = (at(tilt + t).value - here.value - log_mass) / t;
    const double low = (here.value - at(tilt - t).value + log_mass) / t;
    if (high < window.high) window.high = high, window.above = t;
    if (low > window.low) window.low = low, window.below = t;
  }
  return window;
}

}  // namespace sotto
