// What: the sum of many independent losses on one grid.
// Formula: masses m_i become m_i e^(t i h)/M (tilted); their transforms are raised to the counts and multiplied; back.
//   Errors are then relative to M e^(-t e), which the tilt makes about delta itself: deltas of 1e-250 keep their
//   digits.
// Conditions: errors added outward, in the unit u of the arithmetic, 2^-53 or 2^-64: transforms [Higham02, Theorem
//   24.2], powers (3 count u), tilting (8 u times the exponents), dropped factors. An error e of a transform F becomes
//   count e |F|^(count-1) in its power: at most count e in the Euclidean norm, and at most the mean of that over the
//   frequencies in any single mass, which is far less where the spectrum of the sum is narrow.
// Reference: [Koskela20]; tilting as in [Alghamdi23].
// Fails if wrong: AccountantPld.* against closed forms, AccountantPld.AgreesWithDirectConvolution,
//   AccountantPld.ExtendedAndUsualArithmeticAgree, AccountantPld.NoMassIsFartherOffThanTheLargestError.
#include "sotto/privacy/accountant/loss_compose.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <kissfft/kissfft.hh>
#include <limits>
#include <map>

#include "sotto/base/stop.h"

namespace sotto {
namespace {

template <class Real>
constexpr Real kUnit = std::numeric_limits<Real>::epsilon() / 2;
template <class Real>
constexpr Real kNever = std::numeric_limits<Real>::infinity();

/// Twiddle factors cost as much as a transform; calibration asks for the same few sizes again and again.
template <class Real>
const kissfft<Real>& transform_of(std::size_t points) {
  constexpr std::size_t kMaxKept = sizeof(Real) > sizeof(double) ? 1 : 8;
  thread_local std::map<std::size_t, kissfft<Real>> kept;
  if (kept.size() >= kMaxKept && !kept.contains(points)) kept.clear();
  return kept.try_emplace(points, points, false).first->second;
}

/// The dearest of all: asks before, after and between its two halves.
template <class Real>
void transform(const std::vector<std::complex<Real>>& from, std::vector<std::complex<Real>>& to) {
  check_stop();
  const kissfft<Real>& prepared = transform_of<Real>(from.size());
  check_stop();
  prepared.transform(from.data(), to.data());
  check_stop();
}

/// Work space of a thread: fresh pages cost more than the arithmetic done in them.
enum class Scratch { input, output, upper, lower };
template <class Real>
std::vector<std::complex<Real>>& scratch(Scratch which, std::size_t points) {
  thread_local std::vector<std::complex<Real>> kept[4];
  std::vector<std::complex<Real>>& space = kept[static_cast<int>(which)];
  space.resize(points);
  return space;
}

/// Gives it back at the end where it is rare and large.
template <class Real>
struct ScratchUse {
  ScratchUse() = default;
  ScratchUse(const ScratchUse&) = delete;
  ScratchUse& operator=(const ScratchUse&) = delete;
  ~ScratchUse() {
    if constexpr (sizeof(Real) > sizeof(double)) {
      for (const Scratch each : {Scratch::input, Scratch::output, Scratch::upper, Scratch::lower}) {
        std::vector<std::complex<Real>>().swap(scratch<Real>(each, 0));
      }
    }
  }
};

/// Relative error of a transform: log2 N stages, each with twiddles good to 2 pi roundings. It holds in the Euclidean
/// norm, and for each value against the sum of all absolute values that it was added up from.
template <class Real>
Real transform_error(std::size_t points) {
  return static_cast<Real>(std::log2(static_cast<double>(points))) * 20 * kUnit<Real>;
}

template <class Real>
std::complex<Real> times(const std::complex<Real>& a, const std::complex<Real>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <class Real>
std::complex<Real> power(std::complex<Real> base, std::uint64_t count) {
  std::complex<Real> result = 1;
  for (; count > 0; count >>= 1) {
    if (count & 1) result = times(result, base);
    base = times(base, base);
  }
  return result;
}

constexpr std::size_t kFewPoints = 8192;
/// Factors whose power is below this exponential are dropped; most are, as the spectrum of a sum is narrow.
template <class Real>
constexpr Real kLogDropped = sizeof(Real) > sizeof(double) ? Real(-55) : Real(-45);

/// The masses of one side of a grid by their logarithms; moments may be far outside the range of a double.
template <class Real>
class LogMasses {
 public:
  LogMasses(const LossGrid& grid, const std::vector<double>& mass)
      : step_(grid.step), first_(static_cast<Real>(grid.first)), log_(mass.size()) {
    for (std::size_t i = 0; i < mass.size(); ++i) {
      log_[i] = mass[i] > 0 ? std::log(static_cast<Real>(mass[i])) : -kNever<Real>;
    }
  }
  /// ln of the sum of mass e^(tilt loss).
  Real log_moment(Real tilt) const {
    Real top = -kNever<Real>;
    for (std::size_t i = 0; i < log_.size(); ++i) top = std::max(top, at(i, tilt));
    if (top == -kNever<Real>) return top;
    Real sum = 0;
    for (std::size_t i = 0; i < log_.size(); ++i) {
      const Real value = at(i, tilt) - top;
      if (value > -46) sum += std::exp(value);
    }
    // What was skipped is below e^-46 a point; the scale may only be too large.
    return top + std::log(sum + static_cast<Real>(log_.size()) * Real(1.1e-20));
  }
  /// Masses tilted to sum to 1, and their rounding errors in units, in the Euclidean norm and added up.
  struct Tilted {
    std::vector<Real> mass;
    Real units = 0;
    Real unit_sum = 0;  // of their absolute values
  };
  Tilted tilted(Real tilt, Real log_total) const {
    Tilted result{std::vector<Real>(log_.size()), 0, 0};
    Real squares = 0;
    for (std::size_t i = 0; i < log_.size(); ++i) {
      const Real value = at(i, tilt) - log_total;
      const Real mass = result.mass[i] = std::exp(value);
      if (!(mass > 0)) continue;
      // Of the exponential, of the logarithm and the two products, of both sums.
      const Real moved = at(i, tilt) - log_[i];
      const Real error = mass * (4 + 4 * (std::fabs(log_[i]) + std::fabs(moved)) + 2 * std::fabs(value));
      squares += error * error;
      result.unit_sum += error;
    }
    result.units = std::sqrt(squares);
    return result;
  }

 private:
  Real at(std::size_t i, Real tilt) const { return log_[i] + tilt * ((first_ + static_cast<Real>(i)) * step_); }
  Real step_, first_;
  std::vector<Real> log_;
};

std::size_t place(std::int64_t index, std::size_t points) {
  const auto n = static_cast<std::int64_t>(points);
  const std::int64_t rest = index % n;
  return static_cast<std::size_t>(rest < 0 ? rest + n : rest);
}

template <class Real>
Real norm_of(const std::vector<std::complex<Real>>& values) {
  Real squares = 0;
  for (const std::complex<Real>& value : values) squares += std::norm(value);
  return std::sqrt(squares);
}

/// At least the sum of the absolute values.
template <class Real>
Real sum_of(const std::vector<std::complex<Real>>& values) {
  Real sum = 0;
  for (const std::complex<Real>& value : values) sum += std::fabs(value.real()) + std::fabs(value.imag());
  return sum * (1 + static_cast<Real>(values.size()) * kUnit<Real>);
}

/// What an error of each factor becomes in the mean over all frequencies of its power. Factors are those computed; the
/// exact ones are within `error` of them.
template <class Real>
class PowerError {
 public:
  PowerError(std::uint64_t count, Real error, std::size_t points)
      : count_(static_cast<Real>(count)), error_(error), points_(points) {}
  /// A kept factor of the frequencies k and points - k, and its power.
  void add(const std::complex<Real>& factor, const std::complex<Real>& power) {
    powers_ += 2 * std::sqrt(std::norm(power) / std::norm(factor));
  }
  Real mean() const {
    const Real drop = kLogDropped<Real> / count_;
    const Real nearby = std::exp(count_ * error_ * std::exp(-drop));  // of |F|^(count-1), for a factor so near
    // Few powers drop nothing of note, and no factor exceeds 1.
    if (count_ < kFewCounts || !(nearby < 2)) return count_ * error_;
    const Real dropped = std::exp(kLogDropped<Real> - drop);
    return count_ * error_ * std::min(Real(1), nearby * (powers_ / static_cast<Real>(points_) + dropped));
  }

 private:
  static constexpr Real kFewCounts = 8;
  Real count_, error_, powers_ = 0;
  std::size_t points_;
};

template <class Real>
class Composer {
 public:
  Composer(const SumPlan& plan, double step)
      : plan_(plan),
        step_(step),
        upper_(scratch<Real>(Scratch::upper, plan.points / 2 + 1)),
        lower_(scratch<Real>(Scratch::lower, plan.points / 2 + 1)) {
    std::fill(upper_.begin(), upper_.end(), Complex(1, 0));
    std::fill(lower_.begin(), lower_.end(), Complex(1, 0));
    // A second, larger exponent for windows that hold few points.
    for (const double factor : {1.0, 4.0}) {
      if (factor > 1 && plan.points > kFewPoints) break;
      for (SumHalf* half : {&sums_.upper, &sums_.lower}) {
        half->above.push_back({factor * plan.above, 0});
        half->below.push_back({factor * plan.below, 0});
      }
    }
  }
  void multiply(const GridTerm& term);
  ComposedSums invert();

 private:
  using Complex = std::complex<Real>;
  typename LogMasses<Real>::Tilted absorb(SumHalf& half, const GridTerm& term, bool upper) const;
  void fill(SumHalf& half, bool upper) const;

  const SumPlan& plan_;
  const double step_;
  std::vector<Complex>&upper_, &lower_;  // transforms of the two real sequences at frequencies 0 to n/2
  Real error_ = 0;                       // that their inverses inherit, in the Euclidean norm
  Real up_error_ = 0, low_error_ = 0;    // in any single mass
  Real growth_ = 0;                      // ln of what computed factors may be above 1
  Real steps_ = 0;
  std::uint64_t shift_ = 0;  // of the sequences against the grid's points, in points, modulo their number
  ComposedSums sums_;
};

/// Adds one term to the scales and Chernoff moments of a half and returns its masses, tilted to sum to 1.
template <class Real>
typename LogMasses<Real>::Tilted Composer<Real>::absorb(SumHalf& half, const GridTerm& term, bool upper) const {
  const LogMasses<Real> masses(term.grid, upper ? term.grid.upper : term.grid.lower);
  const auto count = static_cast<double>(term.count);
  const auto total = static_cast<double>(masses.log_moment(plan_.tilt));
  const auto moved = [&](double by) { return static_cast<double>(masses.log_moment(plan_.tilt + by)) - total; };
  half.log_scale += count * total;
  half.log_size += std::fabs(count * total);
  for (SumHalf::Chernoff& c : half.above) c.log_moment += count * moved(c.exponent);
  for (SumHalf::Chernoff& c : half.below) c.log_moment += count * moved(-c.exponent);
  const double infinite = std::min(1.0, upper ? term.grid.infinite_upper : term.grid.infinite_lower);
  half.infinite = -std::expm1(std::log1p(-half.infinite) + count * std::log1p(-infinite));
  return masses.tilted(plan_.tilt, total);
}

template <class Real>
void Composer<Real>::multiply(const GridTerm& term) {
  const std::size_t n = plan_.points;
  const auto up = absorb(sums_.upper, term, true), low = absorb(sums_.lower, term, false);
  std::vector<Complex>&packed = scratch<Real>(Scratch::input, n), &transformed = scratch<Real>(Scratch::output, n);
  std::fill(packed.begin(), packed.end(), Complex(0, 0));
  // Of a rarely sampled release almost all mass lies on one point. Counted from there, that mass is a constant of the
  // transform and has none of its error.
  const std::int64_t origin = std::max_element(up.mass.begin(), up.mass.end()) - up.mass.begin();
  const Complex atom(up.mass[static_cast<std::size_t>(origin)], low.mass[static_cast<std::size_t>(origin)]);
  for (std::size_t i = 0; i < up.mass.size(); ++i) {
    const std::int64_t index = static_cast<std::int64_t>(i) - origin;
    if (index != 0) packed[place(index, n)] += Complex(up.mass[i], low.mass[i]);
  }
  shift_ = (shift_ + term.count % n * place(term.grid.first + origin, n)) % n;
  transform(packed, transformed);
  // An error e of a transform becomes at most count e in its power, as no factor exceeds 1; tilting rounds masses.
  const auto count = static_cast<Real>(term.count);
  const Real rest = norm_of(packed), whole = std::hypot(rest, std::abs(atom));
  error_ += count * (transform_error<Real>(n) * rest +
                     (std::hypot(up.units, low.units) + 4 * whole) * kUnit<Real>)+std::exp(kLogDropped<Real>);
  const Real absolute = sum_of(packed);
  const Real each = transform_error<Real>(n) * absolute +
                    (up.unit_sum + low.unit_sum + 4 * (absolute + std::abs(atom))) * kUnit<Real>;
  PowerError<Real> up_error(term.count, each, n), low_error(term.count, each, n);
  growth_ += count * each;
  steps_ += count;
  const auto raise = [smallest = std::exp(2 * kLogDropped<Real> / count)](
                         Complex& product, const Complex& factor, std::uint64_t times_over, PowerError<Real>& error) {
    if (!(std::norm(factor) > smallest)) {
      product = 0;
      return;
    }
    const Complex raised = power(factor, times_over);
    error.add(factor, raised);
    product = times(product, raised);
  };
  for (std::size_t k = 0; k <= n / 2; ++k) {
    const Complex here = transformed[k], there = std::conj(transformed[k == 0 ? 0 : n - k]);
    const Complex up_factor = (here + there) * Real(0.5) + atom.real();
    const Complex low_factor = times(here - there, Complex(0, Real(-0.5))) + atom.imag();
    raise(upper_[k], up_factor, term.count, up_error);
    raise(lower_[k], low_factor, term.count, low_error);
  }
  up_error_ += up_error.mean() + std::exp(kLogDropped<Real>);
  low_error_ += low_error.mean() + std::exp(kLogDropped<Real>);
}

template <class Real>
ComposedSums Composer<Real>::invert() {
  const std::size_t n = plan_.points;
  const Complex i(0, 1);
  std::vector<Complex>&packed = scratch<Real>(Scratch::input, n), &masses = scratch<Real>(Scratch::output, n);
  // The inverse is the conjugate of the transform of the conjugate; real sequences fix the other half.
  for (std::size_t k = 0; k <= n / 2; ++k) {
    const Complex u = upper_[k], l = lower_[k];
    packed[k == 0 ? 0 : n - k] = std::conj(std::conj(u) + times(i, std::conj(l)));
    packed[k] = std::conj(u + times(i, l));
  }
  transform(packed, masses);
  const Real size = norm_of(packed) / std::sqrt(static_cast<Real>(n));
  const Real relative = transform_error<Real>(n) + 3 * steps_ * kUnit<Real>, error = error_ + relative * size;
  const Real of_any = (relative + 2 * kUnit<Real>)*sum_of(packed) / static_cast<Real>(n);
  for (SumHalf* half : {&sums_.upper, &sums_.lower}) {
    const bool upper = half == &sums_.upper;
    half->mass_error = 1.01 * static_cast<double>(error);
    half->largest_error = 1.01 * static_cast<double>(std::exp(growth_) * ((upper ? up_error_ : low_error_) + of_any));
    fill(*half, upper);
  }
  return std::move(sums_);
}

template <class Real>
void Composer<Real>::fill(SumHalf& half, bool upper) const {
  const std::size_t n = plan_.points, start = place(plan_.low - static_cast<std::int64_t>(shift_), n);
  const std::vector<Complex>& masses = scratch<Real>(Scratch::output, n);
  const double decay = std::exp(-plan_.tilt * step_), faster = std::exp(-(plan_.tilt + 1) * step_);
  const double width = -std::expm1(-step_);
  const Real scale = 1 / static_cast<Real>(n);
  half.weighted.resize(n + 1);
  half.decaying.resize(n + 1);
  half.weighted[n] = half.decaying[n] = 0;
  for (std::size_t i = n; i-- > 0;) {
    const Complex& value = masses[start + i < n ? start + i : start + i - n];
    const auto mass = static_cast<double>(scale * (upper ? value.real() : -value.imag()));
    half.decaying[i] = mass + faster * half.decaying[i + 1];
    half.weighted[i] = decay * (half.weighted[i + 1] + width * half.decaying[i + 1]);
  }
}

}  // namespace

template <class Real>
ComposedSums compose(std::span<const GridTerm> terms, const SumPlan& plan) {
  const ScratchUse<Real> use;
  Composer<Real> composer(plan, terms.front().grid.step);
  for (const GridTerm& term : terms) composer.multiply(term);
  return composer.invert();
}

template ComposedSums compose<double>(std::span<const GridTerm> terms, const SumPlan& plan);
template ComposedSums compose<long double>(std::span<const GridTerm> terms, const SumPlan& plan);

}  // namespace sotto
