// What: delta(epsilon) and its inverse from a sum of many independent losses on one grid.
// Formula: delta(e) = M e^(-t e) sum_{S>e} e^(-t (S-e)) (1 - e^(e-S)) mass(S), masses tilted by t, M their scale.
// Conditions: errors added outward: of the masses (loss_compose.cpp), of what lies outside the window (Chernoff on the
//   grid's own masses), P mass cut off above.
// Reference: [Koskela20]; tilting as in [Alghamdi23].
// Fails if wrong: AccountantPld.* against closed forms, AccountantPld.AgreesWithDirectConvolution,
//   AccountantPld.TheNormOfTheWeightsIsBoundedFromAboveAndClosely, AccountantPld.TheSumOfTheWeights*.
#include "sotto/privacy/accountant/loss_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sotto {
namespace {

constexpr double kUnit = 0x1p-53;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

double weight_norm(double tilt, double step, std::size_t points) {
  const double integral = 2 / std::max(1e-300, 2 * tilt * (2 * tilt + 1) * (2 * tilt + 2));
  const double squares = integral / step + 1 / ((1 + tilt) * (1 + tilt));
  return std::sqrt(std::min(static_cast<double>(points), squares)) * (1 + 1e-14);
}

double weight_sum(double tilt, double step, std::size_t points) {
  const double integral = 1 / std::max(1e-300, tilt * (tilt + 1)), largest = 1 / (1 + tilt);
  return std::min(static_cast<double>(points) * largest, integral / step + largest) * (1 + 1e-14);
}

LossSum::LossSum(std::span<const GridTerm> terms, const SumPlan& plan)
    : plan_(plan),
      step_(terms.front().grid.step),
      sums_(plan.extended ? compose<long double>(terms, plan) : compose<double>(terms, plan)) {
  for (const GridTerm& term : terms) shift_ += static_cast<double>(term.count) * term.grid.offset;
}

/// epsilon is counted from the grid's shift, as the losses are. What the window leaves out or folds back, as tilted
/// mass: mass above it is missed, at its weight; mass so far above that it folds to above epsilon, and mass below it,
/// may be counted where it is not. What folds up from below by a window's width w is weighted there by e^(-tilt w) of
/// its own P mass at most, and that sums to at most 1.
double LossSum::outside(const SumHalf& half, double epsilon) const {
  const double low = static_cast<double>(plan_.low) * step_;
  const double width = static_cast<double>(plan_.points) * step_;
  const double high = low + width - step_;
  const auto least = [](const std::vector<SumHalf::Chernoff>& bounds, double x) {
    double log_mass = 0;
    for (const SumHalf::Chernoff& bound : bounds) log_mass = std::min(log_mass, bound.log_moment - bound.exponent * x);
    return log_mass;
  };
  const double missed = least(half.above, high) - plan_.tilt * std::max(0.0, high - epsilon);
  const double folded = least(half.above, high + std::max(0.0, epsilon - low));
  double below = least(half.below, -low);
  if (epsilon >= low && plan_.tilt > 0) {
    const double all_folds = -std::log(-std::expm1(-plan_.tilt * width));
    below = std::min(below, -plan_.tilt * (width - epsilon) - half.log_scale + all_folds);
  }
  return (std::exp(missed) + std::exp(folded) + std::exp(below)) * (1 + 1e-9);
}

/// What the errors of the masses add up to in delta.
double LossSum::rounding(const SumHalf& half) const {
  return std::min(half.mass_error * weight_norm(plan_.tilt, step_, plan_.points),
                  half.largest_error * weight_sum(plan_.tilt, step_, plan_.points));
}

double LossSum::tilted_delta(const SumHalf& half, double epsilon) const {
  const double low = static_cast<double>(plan_.low) * step_;
  const double position = std::max(0.0, std::ceil((epsilon - low) / step_));
  if (!(position <= static_cast<double>(plan_.points))) return 0;
  const auto i = static_cast<std::size_t>(position);
  const double rest = std::max(0.0, low + position * step_ - epsilon);
  return std::exp(-plan_.tilt * rest) * (half.weighted[i] - std::expm1(-rest) * half.decaying[i]);
}

double LossSum::rounding_share(double epsilon) const {
  const double at = epsilon - shift_;
  const double rest = std::fabs(tilted_delta(sums_.upper, at)) + outside(sums_.upper, at);
  return rounding(sums_.upper) / std::max(1e-300, rest);
}

double LossSum::delta_of(const SumHalf& half, double epsilon, double sign) const {
  const std::size_t n = plan_.points;
  const double sum = tilted_delta(half, epsilon);
  // The two sums decay by rounded factors: a unit or two at each of the points that weigh something.
  const double length = std::min(static_cast<double>(n), 1 / std::max(1e-300, -std::expm1(-plan_.tilt * step_)));
  const double of_factors = (1e-13 + 8 * kUnit * length) * std::fabs(sum);
  const double error = rounding(half) + outside(half, epsilon) + of_factors;
  if (half.log_scale == -kInfinity) return half.infinite;
  // What is infinite in one term is infinite in the sum, whatever the others are.
  const double value = sum + sign * error;
  if (value <= 0) return half.infinite;
  const double log_value = half.log_scale - plan_.tilt * epsilon + std::log(value);
  const double slack = 4 * kUnit * (half.log_size + std::fabs(plan_.tilt * epsilon) + 64);
  return std::clamp(half.infinite + std::exp(log_value + sign * slack), 0.0, 1.0);
}

double LossSum::delta_upper(double epsilon) const { return delta_of(sums_.upper, epsilon - shift_, 1); }
double LossSum::delta_lower(double epsilon) const { return delta_of(sums_.lower, epsilon - shift_, -1); }
double LossSum::top() const {
  return static_cast<double>(plan_.low + static_cast<std::int64_t>(plan_.points)) * step_ + shift_;
}

double LossSum::epsilon_upper(double delta) const {
  // Any epsilon that passes is valid, monotone or not.
  const auto too_much = [&](double e) { return !(delta_upper(e) <= delta); };
  if (!too_much(0)) return 0;
  double low = 0, high = top();
  if (!(high > 0) || too_much(high)) return kInfinity;
  for (int i = 0; i < 80 && high - low > 1e-14 * high; ++i) {
    const double middle = (low + high) / 2;
    (too_much(middle) ? low : high) = middle;
  }
  return high;
}

double LossSum::epsilon_lower(double delta) const {
  // Far below the answer the error bound swallows the profile, so start near it and step back.
  const auto too_much = [&](double e) { return delta_lower(e) > delta; };
  double high = epsilon_upper(delta);
  if (!std::isfinite(high)) high = top();
  if (!(high > 0)) return 0;
  if (too_much(high)) return high;
  double back = std::max(1e-9 * high, 1e-3 * step_);
  while (back < high && !too_much(high - back)) back *= 2;
  double low = std::max(0.0, high - back);
  if (!too_much(low)) return 0;
  for (int i = 0; i < 80 && high - low > 1e-14 * high; ++i) {
    const double middle = (low + high) / 2;
    (too_much(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace sotto
