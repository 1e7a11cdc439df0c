// What: the sum of many independent losses on one grid, and delta(epsilon) from it.
// Formula: masses m_i become m_i e^(t i h)/M (tilted); their transforms are raised to the counts and multiplied; back,
//   delta(e) = M e^(-t e) sum_{S>e} e^(-t (S-e)) (1 - e^(e-S)) mass(S), so that errors are relative to M e^(-t e),
//   which the tilt makes about delta itself: deltas of 1e-300 keep their digits.
// Conditions: errors added outward: transform [Higham02, Theorem 24.2], powers (3 count units), mass outside the window
//   (Chernoff on the grid's own masses), P mass cut off above.
// Reference: [Koskela20]; tilting as in [Alghamdi23].
// Fails if wrong: AccountantPld.* against closed forms, AccountantPld.AgreesWithDirectConvolution.
#include "sotto/privacy/accountant/loss_sum.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <kissfft/kissfft.hh>
#include <limits>
#include <map>

namespace sotto {
namespace {

using Complex = std::complex<double>;
constexpr double kUnit = 0x1p-53;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Twiddle factors cost as much as a transform; calibration asks for the same few sizes again and again.
const kissfft<double>& transform_of(std::size_t points) {
  constexpr std::size_t kMostKept = 8;
  thread_local std::map<std::size_t, kissfft<double>> kept;
  if (kept.size() > kMostKept) kept.clear();
  return kept.try_emplace(points, points, false).first->second;
}

/// Work space of a thread: fresh pages cost more than the arithmetic done in them.
enum class Scratch { input, output, upper, lower };
std::vector<Complex>& scratch(Scratch which, std::size_t points) {
  thread_local std::vector<Complex> kept[4];
  std::vector<Complex>& space = kept[static_cast<int>(which)];
  space.resize(points);
  return space;
}

/// Relative error of a transform in the Euclidean norm: log2 N stages, each with twiddles good to 2 pi roundings.
double transform_error(std::size_t points) { return std::log2(static_cast<double>(points)) * 20 * kUnit; }

Complex times(const Complex& a, const Complex& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

constexpr std::size_t kFewPoints = 8192;
/// Factors whose power is below e^-45 are dropped; most are, as the spectrum of a sum is narrow.
constexpr double kLogDropped = -45;

Complex power(Complex base, std::uint64_t count) {
  Complex result = 1;
  for (; count > 0; count >>= 1) {
    if (count & 1) result = times(result, base);
    base = times(base, base);
  }
  return result;
}

/// The masses of one side of a grid by their logarithms; moments may be far outside the range of a double.
class LogMasses {
 public:
  LogMasses(const LossGrid& grid, const std::vector<double>& mass)
      : step_(grid.step), first_(static_cast<double>(grid.first)), log_(mass.size()) {
    for (std::size_t i = 0; i < mass.size(); ++i) log_[i] = mass[i] > 0 ? std::log(mass[i]) : -kInfinity;
  }
  /// ln of the sum of mass e^(tilt loss).
  double log_moment(double tilt) const {
    double top = -kInfinity;
    for (std::size_t i = 0; i < log_.size(); ++i) top = std::max(top, at(i, tilt));
    if (top == -kInfinity) return top;
    double sum = 0;
    for (std::size_t i = 0; i < log_.size(); ++i) {
      const double value = at(i, tilt) - top;
      if (value > -46) sum += std::exp(value);
    }
    // What was skipped is below e^-46 a point; the scale may only be too large.
    return top + std::log(sum + static_cast<double>(log_.size()) * 1.1e-20);
  }
  std::vector<double> tilted(double tilt, double log_total) const {
    std::vector<double> mass(log_.size());
    for (std::size_t i = 0; i < log_.size(); ++i) mass[i] = std::exp(at(i, tilt) - log_total);
    return mass;
  }

 private:
  double at(std::size_t i, double tilt) const { return log_[i] + tilt * ((first_ + static_cast<double>(i)) * step_); }
  double step_, first_;
  std::vector<double> log_;
};

std::size_t place(std::int64_t index, std::size_t points) {
  const auto n = static_cast<std::int64_t>(points);
  const std::int64_t rest = index % n;
  return static_cast<std::size_t>(rest < 0 ? rest + n : rest);
}

double norm_of(const std::vector<Complex>& values) {
  double squares = 0;
  for (const Complex& value : values) squares += std::norm(value);
  return std::sqrt(squares);
}

}  // namespace

/// Transforms of the two real sequences at frequencies 0 to n/2, and the error their inverses inherit.
struct LossSum::Spectra {
  std::vector<Complex>& upper;
  std::vector<Complex>& lower;
  double error = 0;
  double steps = 0;
};

LossSum::LossSum(std::span<const GridTerm> terms, const SumPlan& plan) : plan_(plan), step_(terms.front().grid.step) {
  const std::size_t frequencies = plan.points / 2 + 1;
  Spectra spectra{scratch(Scratch::upper, frequencies), scratch(Scratch::lower, frequencies)};
  std::fill(spectra.upper.begin(), spectra.upper.end(), Complex(1, 0));
  std::fill(spectra.lower.begin(), spectra.lower.end(), Complex(1, 0));
  // A second, larger exponent for windows that hold few points.
  for (const double factor : {1.0, 4.0}) {
    if (factor > 1 && plan.points > kFewPoints) break;
    for (Half* half : {&upper_, &lower_}) {
      half->above.push_back({factor * plan.above, 0});
      half->below.push_back({factor * plan.below, 0});
    }
  }
  for (const GridTerm& term : terms) multiply(spectra, term);
  invert(spectra);
}

/// Adds one term to the scales and Chernoff moments of a half and returns its masses, tilted to sum to 1.
std::vector<double> LossSum::absorb(Half& half, const GridTerm& term, bool upper) const {
  const LogMasses masses(term.grid, upper ? term.grid.upper : term.grid.lower);
  const auto count = static_cast<double>(term.count);
  const double total = masses.log_moment(plan_.tilt);
  half.log_scale += count * total;
  for (Chernoff& c : half.above) c.log_moment += count * (masses.log_moment(plan_.tilt + c.exponent) - total);
  for (Chernoff& c : half.below) c.log_moment += count * (masses.log_moment(plan_.tilt - c.exponent) - total);
  const double infinite = std::min(1.0, upper ? term.grid.infinite_upper : term.grid.infinite_lower);
  half.infinite = -std::expm1(std::log1p(-half.infinite) + count * std::log1p(-infinite));
  return masses.tilted(plan_.tilt, total);
}

void LossSum::multiply(Spectra& spectra, const GridTerm& term) {
  const std::size_t n = plan_.points;
  const std::vector<double> up = absorb(upper_, term, true), low = absorb(lower_, term, false);
  std::vector<Complex>&packed = scratch(Scratch::input, n), &transformed = scratch(Scratch::output, n);
  std::fill(packed.begin(), packed.end(), Complex(0, 0));
  for (std::size_t i = 0; i < up.size(); ++i) {
    packed[place(term.grid.first + static_cast<std::int64_t>(i), n)] += Complex(up[i], low[i]);
  }
  transform_of(n).transform(packed.data(), transformed.data());
  // An error e of a transform becomes at most count e in its power, as no factor exceeds 1; tilting rounds masses.
  const auto count = static_cast<double>(term.count);
  spectra.error += count * (transform_error(n) + 16 * kUnit) * norm_of(packed) + std::exp(kLogDropped);
  spectra.steps += count;
  const double smallest = std::exp(2 * kLogDropped / count);
  for (std::size_t k = 0; k <= n / 2; ++k) {
    const Complex here = transformed[k], there = std::conj(transformed[k == 0 ? 0 : n - k]);
    const Complex up_factor = (here + there) * 0.5, low_factor = times(here - there, Complex(0, -0.5));
    const bool keep_up = std::norm(up_factor) > smallest, keep_low = std::norm(low_factor) > smallest;
    spectra.upper[k] = keep_up ? times(spectra.upper[k], power(up_factor, term.count)) : 0;
    spectra.lower[k] = keep_low ? times(spectra.lower[k], power(low_factor, term.count)) : 0;
  }
}

void LossSum::invert(const Spectra& spectra) {
  const std::size_t n = plan_.points;
  const Complex i(0, 1);
  std::vector<Complex>&packed = scratch(Scratch::input, n), &masses = scratch(Scratch::output, n);
  // The inverse is the conjugate of the transform of the conjugate; real sequences fix the other half.
  for (std::size_t k = 0; k <= n / 2; ++k) {
    const Complex u = spectra.upper[k], l = spectra.lower[k];
    packed[k == 0 ? 0 : n - k] = std::conj(std::conj(u) + times(i, std::conj(l)));
    packed[k] = std::conj(u + times(i, l));
  }
  transform_of(n).transform(packed.data(), masses.data());
  const double size = norm_of(packed) / std::sqrt(static_cast<double>(n));
  const double error = 1.01 * (spectra.error + (transform_error(n) + 3 * spectra.steps * kUnit) * size);
  for (Half* half : {&upper_, &lower_}) {
    half->mass_error = error;
    fill(*half, half == &upper_);
  }
}

/// What the window leaves out or folds back, as tilted mass: mass above it is missed, at its weight; mass so far above
/// that it folds to above epsilon, and mass below it, may be counted where it is not. What folds up from below by a
/// window's width w is weighted there by e^(-tilt w) of its own P mass at most, and that sums to at most 1.
double LossSum::outside(const Half& half, double epsilon) const {
  const double low = static_cast<double>(plan_.low) * step_;
  const double width = static_cast<double>(plan_.points) * step_;
  const double high = low + width - step_;
  const auto least = [](const std::vector<Chernoff>& bounds, double x) {
    double log_mass = 0;
    for (const Chernoff& bound : bounds) log_mass = std::min(log_mass, bound.log_moment - bound.exponent * x);
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

void LossSum::fill(Half& half, bool upper) const {
  const std::size_t n = plan_.points, start = place(plan_.low, n);
  const std::vector<Complex>& masses = scratch(Scratch::output, n);
  const double decay = std::exp(-plan_.tilt * step_), faster = std::exp(-(plan_.tilt + 1) * step_);
  const double width = -std::expm1(-step_), scale = 1 / static_cast<double>(n);
  half.weighted.resize(n + 1);
  half.decaying.resize(n + 1);
  half.weighted[n] = half.decaying[n] = 0;
  for (std::size_t i = n; i-- > 0;) {
    const Complex& value = masses[start + i < n ? start + i : start + i - n];
    const double mass = scale * (upper ? value.real() : -value.imag());
    half.decaying[i] = mass + faster * half.decaying[i + 1];
    half.weighted[i] = decay * (half.weighted[i + 1] + width * half.decaying[i + 1]);
  }
}

double LossSum::delta_of(const Half& half, double epsilon, double sign) const {
  const double low = static_cast<double>(plan_.low) * step_;
  const std::size_t n = half.weighted.size() - 1;
  const double position = std::max(0.0, std::ceil((epsilon - low) / step_));
  double sum = 0;
  if (position <= static_cast<double>(n)) {
    const auto i = static_cast<std::size_t>(position);
    const double rest = std::max(0.0, low + position * step_ - epsilon);
    sum = std::exp(-plan_.tilt * rest) * (half.weighted[i] - std::expm1(-rest) * half.decaying[i]);
  }
  const double points =
      std::min(static_cast<double>(n), 1 + 1 / std::max(1e-300, -std::expm1(-2 * plan_.tilt * step_)));
  const double error = half.mass_error * std::sqrt(points) + outside(half, epsilon) + 1e-13 * std::fabs(sum);
  if (half.log_scale == -kInfinity) return half.infinite;
  // What is infinite in one term is infinite in the sum, whatever the others are.
  const double value = sum + sign * error;
  if (value <= 0) return half.infinite;
  const double log_value = half.log_scale - plan_.tilt * epsilon + std::log(value);
  const double slack = 4 * kUnit * (std::fabs(half.log_scale) + std::fabs(plan_.tilt * epsilon) + 64);
  return std::clamp(half.infinite + std::exp(log_value + sign * slack), 0.0, 1.0);
}

double LossSum::delta_upper(double epsilon) const { return delta_of(upper_, epsilon, 1); }
double LossSum::delta_lower(double epsilon) const { return delta_of(lower_, epsilon, -1); }

double LossSum::epsilon_upper(double delta) const {
  // Any epsilon that passes is valid, monotone or not.
  const auto too_much = [&](double e) { return delta_upper(e) > delta; };
  if (!too_much(0)) return 0;
  double low = 0, high = static_cast<double>(plan_.low + static_cast<std::int64_t>(plan_.points)) * step_;
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
  if (!std::isfinite(high)) high = static_cast<double>(plan_.low + static_cast<std::int64_t>(plan_.points)) * step_;
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
