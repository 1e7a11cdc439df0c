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
#include <memory>

namespace sotto {
namespace {

using Complex = std::complex<double>;
constexpr double kUnit = 0x1p-53;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The transform's twiddle factors cost as much as a transform; calibration asks for the same size again and again.
const kissfft<double>& transform_of(std::size_t points) {
  thread_local std::size_t size = 0;
  thread_local std::unique_ptr<kissfft<double>> kept;
  if (size != points) {
    kept = std::make_unique<kissfft<double>>(points, false);
    size = points;
  }
  return *kept;
}

/// Relative error of a transform in the Euclidean norm: log2 N stages, each with twiddles good to 2 pi roundings.
double transform_error(std::size_t points) { return std::log2(static_cast<double>(points)) * 20 * kUnit; }

Complex times(const Complex& a, const Complex& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

Complex power(Complex base, std::uint64_t count) {
  const double norm = std::norm(base);
  if (norm == 0 || 0.5 * std::log(norm) * static_cast<double>(count) < -100) return 0;
  Complex result = 1;
  for (; count > 0; count >>= 1) {
    if (count & 1) result = times(result, base);
    base = times(base, base);
  }
  return result;
}

/// One grid's masses tilted and normalised; ln of what was divided by.
struct Tilted {
  std::vector<double> mass;
  double log_moment = -kInfinity;
};

double log_moment(const LossGrid& grid, const std::vector<double>& mass, double tilt) {
  const double slope = tilt * grid.step;
  double top = -kInfinity;
  for (std::size_t i = 0; i < mass.size(); ++i) {
    if (mass[i] > 0) top = std::max(top, std::log(mass[i]) + slope * static_cast<double>(i));
  }
  if (top == -kInfinity) return -kInfinity;
  double sum = 0;
  for (std::size_t i = 0; i < mass.size(); ++i) {
    if (mass[i] > 0) sum += std::exp(std::log(mass[i]) + slope * static_cast<double>(i) - top);
  }
  return top + std::log(sum) + slope * static_cast<double>(grid.first);
}

Tilted tilted(const LossGrid& grid, const std::vector<double>& mass, double tilt) {
  Tilted result{std::vector<double>(mass.size(), 0.0), log_moment(grid, mass, tilt)};
  if (result.log_moment == -kInfinity) return result;
  for (std::size_t i = 0; i < mass.size(); ++i) {
    const double loss = static_cast<double>(grid.first + static_cast<std::int64_t>(i)) * grid.step;
    if (mass[i] > 0) result.mass[i] = std::exp(std::log(mass[i]) + tilt * loss - result.log_moment);
  }
  return result;
}

std::size_t place(std::int64_t index, std::size_t points) {
  const auto n = static_cast<std::int64_t>(points);
  const std::int64_t rest = index % n;
  return static_cast<std::size_t>(rest < 0 ? rest + n : rest);
}

}  // namespace

LossSum::LossSum(std::span<const GridTerm> terms, const SumPlan& plan) : plan_(plan), step_(terms.front().grid.step) {
  const std::size_t n = plan.points;
  const auto& transform = transform_of(n);
  std::vector<Complex> packed(n), spectrum(n), product(n, Complex(1, 1));
  bool first = true;
  double input_error[2] = {0, 0}, steps = 0;
  for (const GridTerm& term : terms) {
    const Tilted up = tilted(term.grid, term.grid.upper, plan.tilt);
    const Tilted low = tilted(term.grid, term.grid.lower, plan.tilt);
    const auto count = static_cast<double>(term.count);
    upper_.log_scale += count * up.log_moment;
    lower_.log_scale += count * low.log_moment;
    upper_.infinite =
        -std::expm1(std::log1p(-upper_.infinite) + count * std::log1p(-std::min(1.0, term.grid.infinite_upper)));
    lower_.infinite = -std::expm1(std::log1p(-lower_.infinite) + count * std::log1p(-term.grid.infinite_lower));
    std::fill(packed.begin(), packed.end(), Complex(0, 0));
    double squares = 0;
    for (std::size_t i = 0; i < up.mass.size(); ++i) {
      packed[place(term.grid.first + static_cast<std::int64_t>(i), n)] += Complex(up.mass[i], low.mass[i]);
    }
    for (const Complex& c : packed) squares += std::norm(c);
    // A transform error e becomes count e in the power; tilting itself rounds each mass by a few units.
    const double error = count * (transform_error(n) + 16 * kUnit) * std::sqrt(squares);
    input_error[0] += error;
    input_error[1] += error;
    steps += count;
    transform.transform(packed.data(), spectrum.data());
    for (std::size_t k = 0; k <= n / 2; ++k) {
      const Complex here = spectrum[k], there = std::conj(spectrum[(n - k) % n]);
      const Complex u = power((here + there) * 0.5, term.count);
      const Complex l = power(times(here - there, Complex(0, -0.5)), term.count);
      // Two transforms of real sequences: product[k] keeps one, product[n-k] (k not 0, n/2) the other.
      Complex& keep_u = product[k];
      if (k == 0 || k == n / 2) {
        keep_u = first ? Complex(u.real(), l.real()) : Complex(keep_u.real() * u.real(), keep_u.imag() * l.real());
      } else {
        Complex& keep_l = product[n - k];
        keep_u = first ? u : times(keep_u, u);
        keep_l = first ? l : times(keep_l, l);
      }
    }
    first = false;
  }
  // Pack U + iL with the symmetry of real sequences; the inverse is the conjugate of the transform of the conjugate.
  for (std::size_t k = 1; k < (n + 1) / 2; ++k) {
    const Complex u = product[k], l = product[n - k];
    packed[k] = std::conj(u + times(Complex(0, 1), l));
    packed[n - k] = std::conj(std::conj(u) + times(Complex(0, 1), std::conj(l)));
  }
  packed[0] = std::conj(product[0]);
  packed[n / 2] = std::conj(product[n / 2]);
  double output = 0;
  for (const Complex& c : packed) output += std::norm(c);
  output = std::sqrt(output / static_cast<double>(n));
  transform.transform(packed.data(), spectrum.data());
  std::vector<double> mass(n);
  const double output_error = (transform_error(n) + 3 * steps * kUnit) * output;
  for (Half* half : {&upper_, &lower_}) {
    const bool is_upper = half == &upper_;
    half->mass_error = 1.01 * (input_error[is_upper ? 0 : 1] + output_error);
    for (std::size_t i = 0; i < n; ++i) {
      const Complex& c = spectrum[place(plan.low + static_cast<std::int64_t>(i), n)];
      mass[i] = (is_upper ? c.real() : -c.imag()) / static_cast<double>(n);
    }
    fill(*half, mass);
    for (const double factor : {0.5, 0.75, 1.0, 1.25}) {
      Chernoff above{factor * plan.above, -half->log_scale}, below{factor * plan.below, -half->log_scale};
      for (const GridTerm& term : terms) {
        const auto& m = is_upper ? term.grid.upper : term.grid.lower;
        const auto count = static_cast<double>(term.count);
        above.log_moment += count * log_moment(term.grid, m, plan.tilt + above.exponent);
        below.log_moment += count * log_moment(term.grid, m, plan.tilt - below.exponent);
      }
      half->above.push_back(above);
      half->below.push_back(below);
    }
  }
}

/// What the window leaves out or folds back: mass above it is missed, at its weight; mass so far above that it folds
/// to above epsilon, and mass below it, may be counted where it is not.
double LossSum::outside(const Half& half, double epsilon) const {
  const double low = static_cast<double>(plan_.low) * step_;
  const double high = low + static_cast<double>(plan_.points - 1) * step_;
  const auto least = [](const std::vector<Chernoff>& bounds, double x) {
    double log_mass = 0;
    for (const Chernoff& bound : bounds) log_mass = std::min(log_mass, bound.log_moment - bound.exponent * x);
    return log_mass;
  };
  const double missed = least(half.above, high) - plan_.tilt * std::max(0.0, high - epsilon);
  const double folded = least(half.above, high + std::max(0.0, epsilon - low));
  return (std::exp(missed) + std::exp(folded) + std::exp(least(half.below, -low))) * (1 + 1e-9);
}

void LossSum::fill(Half& half, std::span<const double> mass) const {
  const std::size_t n = mass.size();
  const double decay = std::exp(-plan_.tilt * step_), faster = std::exp(-(plan_.tilt + 1) * step_);
  const double width = -std::expm1(-step_);
  half.weighted.assign(n + 1, 0.0);
  half.decaying.assign(n + 1, 0.0);
  for (std::size_t i = n; i-- > 0;) {
    half.decaying[i] = mass[i] + faster * half.decaying[i + 1];
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
