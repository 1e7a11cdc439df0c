// What: calibration of noise, steps, sampling rate, epsilon or delta.
// Formula: the edge of {x : delta_upper(x; epsilon) <= delta}, by false position on ln(delta_upper/delta); then small
//   steps to the private side until delta_upper(epsilon) <= delta and epsilon_upper(delta) <= epsilon, as account_delta
//   and account_epsilon print them. The two are computed on grids of their own, so one does not imply the other.
// Conditions: delta falls with noise and rises with steps and rate; the answer is a point that was itself checked, so a
//   failure of monotonicity costs tightness, not privacy.
// Reference: the accountants'.
// Fails if wrong: AccountantSolve.*, AccountantVectors.*
#include "sotto/privacy/accountant/solve.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/privacy/accountant/gdp.h"
#include "sotto/privacy/accountant/loss_law.h"
#include "sotto/privacy/accountant/pld.h"
#include "sotto/privacy/accountant/worlds.h"

namespace sotto {
namespace {

constexpr double kTolerance = 1e-4;            // relative, of the parameter
constexpr double kSome = 1e-9;                 // over, by nobody knows how much
constexpr double kCloseBy = 0.01;              // of epsilon
constexpr double kRoughTolerance = 2e-3;       // of a point that is corrected
constexpr double kFine = 1e-3, kRough = 1e-2;  // precision of delta in a search
constexpr double kMaxEpsilon = 1e6;

/// ln(delta_upper / delta); at most 0 is private. For pure targets, ln(epsilon_upper / epsilon).
class Excess {
 public:
  Excess(const Target& target, AccountantChoice only) : target_(target), only_(only) {
    require(target.epsilon > 0 && target.epsilon <= 1e4, "epsilon", "must be given, above 0 and at most 10000");
    require(target.delta >= 0 && target.delta < 0.5, "delta", "must lie in [0, 0.5)");
  }
  double operator()(const ReleasePlan& plan, double precision = kFine) const {
    const Event event = plan.event(target_.relation);
    if (target_.delta == 0) {
      const AccountReport report = account_epsilon(event, target_.relation, 0, only_);
      return std::log(report.value.upper / target_.epsilon);
    }
    return std::log(upper(event, precision) / target_.delta);
  }
  /// Whether the last bound was within a factor of 2 of what it bounds.
  bool is_sharp() const noexcept { return is_sharp_; }
  /// By what share of epsilon the plan exceeds the target, for both questions that can be asked about it, with the
  /// answers that are printed; 0 if it keeps it.
  double share_over(const ReleasePlan& plan) const {
    const Event event = plan.event(target_.relation);
    // The smallest of all accountants is at most one's own. Another one is not asked to save less than a step or two.
    double least = std::numeric_limits<double>::infinity();
    for (const AccountantChoice one : {AccountantChoice::gdp, AccountantChoice::pld}) {
      if (target_.delta == 0 || (only_ != AccountantChoice::automatic && only_ != one)) continue;
      applies([&] { least = std::min(least, share_over(event, one)); });
      if (least == 0) return 0;
    }
    return least < kCloseBy ? least : share_over(event, only_);
  }

 private:
  double share_over(const Event& event, AccountantChoice by) const {
    const bool pld = by == AccountantChoice::pld;
    const double epsilon = pld ? pld_epsilon_against(event, target_.relation, {target_.delta, target_.epsilon}).upper
                               : account_epsilon(event, target_.relation, target_.delta, by).value.upper;
    if (epsilon > target_.epsilon) return epsilon / target_.epsilon - 1;
    const double delta = pld ? pld_delta_against(event, target_.relation, {target_.epsilon, target_.delta}).upper
                             : account_delta(event, target_.relation, target_.epsilon, by).value.upper;
    return delta <= target_.delta ? 0 : kTolerance / 4;
  }
  /// Exact accountants first: where they apply no other is smaller.
  double upper(const Event& event, double precision) const {
    const bool any = only_ == AccountantChoice::automatic;
    if (any && applies([&] { gdp_mu_of(event, target_.relation); })) {
      return account_delta(event, target_.relation, target_.epsilon, AccountantChoice::gdp).value.upper;
    }
    if (only_ == AccountantChoice::pld || (any && applies([&] { worlds_have_pairs(event); }))) {
      return by_pld(event, precision);
    }
    return account_delta(event, target_.relation, target_.epsilon, only_).value.upper;
  }
  double by_pld(const Event& event, double precision) const {
    const auto far = [&](const Bound& b) { return b.upper < target_.delta / 2 || b.lower > target_.delta * 2; };
    // One grid for each question: finer ones would tell little more of the side, at many times the price.
    const auto delta = [&](double at) {
      return pld_delta_against(event, target_.relation, {target_.epsilon, target_.delta, at, false});
    };
    // Far from the target a rough answer tells the side; questions come ever closer to it.
    if (!was_close_) {
      const Bound rough = delta(0.2);
      if (far(rough)) return rough.upper;
    }
    const Bound fine = delta(precision);
    was_close_ = !far(fine);
    is_sharp_ = fine.lower > fine.upper / 2;
    return fine.upper;
  }
  void worlds_have_pairs(const Event& event) const {
    for (const World& world : worlds(event, target_.relation)) {
      for (const Step& step : world) loss_law(step.leaf, step.side);
    }
  }
  template <class F>
  static bool applies(const F& f) {
    try {
      f();
      return true;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::unsupported) throw;
      return false;
    }
  }
  Target target_;
  AccountantChoice only_;
  mutable bool was_close_ = false;
  mutable bool is_sharp_ = true;
};

/// Two points in ln x, the first private, the second not.
struct Bracket {
  double good, bad;
  double at_good, at_bad;
};

/// Narrows by false position (Illinois) with a bisection whenever that stalls; returns the last private point.
struct Found {
  double at, excess;
};
Found narrowed(Bracket b, const std::function<double(double)>& excess, double tolerance) {
  int side = 0;
  double at_found = b.at_good;
  for (int i = 0; i < 100 && std::fabs(b.good - b.bad) > tolerance; ++i) {
    const bool usable = std::isfinite(b.at_good) && std::isfinite(b.at_bad) && i % 4 != 3;
    double share = usable ? b.at_good / (b.at_good - b.at_bad) : 0.5;
    // A little towards the private side, so that both ends of the bracket close in.
    const double margin = 0.3 * tolerance / std::fabs(b.good - b.bad);
    share = std::clamp(share - margin, std::min(0.5, margin), 1 - std::min(0.5, margin));
    const double x = b.good + share * (b.bad - b.good);
    const double value = excess(x);
    if (value <= 0) {
      b.good = x, b.at_good = at_found = value;
      if (side == 1) b.at_bad /= 2;
      side = 1;
    } else {
      b.bad = x, b.at_bad = value;
      if (side == -1) b.at_good /= 2;
      side = -1;
    }
  }
  return {b.good, at_found};
}

/// The first of x, next(x), ... that is over by nothing; each is farther on the private side, by what the one before
/// was over and at least by a little that grows.
template <class T, class Next, class Over>
T stepped(T x, const Next& next, const Over& over) {
  constexpr int kMaxSteps = 12;
  for (int i = 0; i < kMaxSteps; ++i) {
    const double share = over(x);
    if (share == 0) return x;
    x = next(x, std::max(kTolerance * std::exp2(i) / 4, std::min(share, kCloseBy)));
  }
  throw Error(ErrorKind::unsupported, "the bounds on epsilon and delta of this plan are too far apart to calibrate it");
}

double checked_noise(const Excess& excess, ReleasePlan plan, double noise) {
  return stepped(
      noise, [](double x, double by) { return x * (1 + by); },
      [&](double x) {
        plan.noise = x;
        return excess.share_over(plan);
      });
}

/// The rate itself, or the largest one up to it that a plan with replacement can have: 1 over a number of rows.
double rate_below(const ReleasePlan& plan, double rate) {
  return plan.sampling == Sampling::with_replacement ? 1 / std::ceil(1 / rate * (1 - 0x1p-50)) : rate;
}

double checked_rate(const Excess& excess, ReleasePlan plan, double rate) {
  return stepped(
      rate_below(plan, rate), [&](double x, double by) { return rate_below(plan, x * (1 - by)); },
      [&](double x) {
        plan.rate = x;
        return excess.share_over(plan);
      });
}

std::uint64_t checked_steps(const Excess& excess, ReleasePlan plan, std::uint64_t steps) {
  const auto fewer = [](std::uint64_t x, double by) {
    const auto less = static_cast<std::uint64_t>(std::ceil(static_cast<double>(x) * by));
    require(less < x, "steps", "even one step does not keep this target; raise noise or lower rate");
    return x - less;
  };
  return stepped(steps, fewer, [&](std::uint64_t x) {
    plan.steps = x;
    return excess.share_over(plan);
  });
}

/// The noise at the edge, in ln; the least noise there is if that keeps the target.
Found noise_found(const std::function<double(double)>& at, double tolerance) {
  const double top = std::log(1e8), bottom = std::log(2e-3);
  Bracket b{0, 0, at(0), 0};
  b.at_bad = b.at_good;
  double reach = 0.5;
  for (; b.at_good > 0; reach *= 2) {  // more noise
    require(b.good < top, "noise", "no noise up to 1e8 keeps this target");
    b.bad = b.good, b.at_bad = b.at_good;
    b.good = std::min(top, b.good + reach), b.at_good = at(b.good);
  }
  for (; b.at_bad <= 0; reach *= 2) {  // less noise
    if (b.bad <= bottom) return {b.bad, b.at_bad};
    b.good = b.bad, b.at_good = b.at_bad;
    b.bad = std::max(bottom, b.bad - reach), b.at_bad = at(b.bad);
  }
  return narrowed(b, at, tolerance);
}

}  // namespace

double noise_for(ReleasePlan plan, const Target& target, AccountantChoice only) {
  const Excess roughly(target, only), finely(target, only);
  const auto at = [&plan](const Excess& excess, double precision) {
    return [&plan, &excess, precision](double log_noise) {
      plan.noise = std::exp(log_noise);
      return excess(plan, precision);
    };
  };
  // A fine bound at the point that a rough one found says how far to move, along the slope of the rough one.
  const auto rough = at(roughly, kRough), fine = at(finely, kFine);
  const Found found = noise_found(rough, kRoughTolerance);
  const double slope = (rough(found.at + kCloseBy) - found.excess) / kCloseBy, moved = -fine(found.at) / slope;
  const bool has_slope = roughly.is_sharp() && finely.is_sharp() && slope < 0 && std::fabs(moved) < kCloseBy;
  const double there = found.at + moved + kTolerance / 4;
  if (has_slope && std::fabs(fine(there) / slope) < kTolerance) return checked_noise(finely, plan, std::exp(there));
  // Bounds that jump, or are far from what they bound, have no slope: they are asked finely all the way.
  const Excess anew(target, only);
  return checked_noise(anew, plan, std::exp(noise_found(at(anew, kFine), kTolerance).at));
}

std::uint64_t steps_for(ReleasePlan plan, const Target& target, AccountantChoice only) {
  const Excess excess(target, only);
  const auto at = [&](double log_steps) {
    plan.steps = static_cast<std::uint64_t>(std::llround(std::exp(log_steps)));
    return excess(plan);
  };
  Bracket b{0, 0, at(0), 0};
  require(b.at_good <= 0, "steps", "even one step does not keep this target; raise noise or lower rate");
  constexpr double kMax = 1e9;
  for (double steps = 8; b.at_bad <= 0; steps *= 8) {
    if (steps > kMax) {
      return checked_steps(excess, plan, static_cast<std::uint64_t>(std::llround(std::exp(b.good))));
    }
    b.bad = std::log(steps), b.at_bad = at(b.bad);
    if (b.at_bad <= 0) b.good = b.bad, b.at_good = b.at_bad;
  }
  const double close = narrowed(b, at, 0.02).at;
  auto good = static_cast<std::uint64_t>(std::llround(std::exp(close)));
  std::uint64_t bad = good + std::max<std::uint64_t>(1, good / 32);
  const auto is_good = [&](std::uint64_t steps) { return at(std::log(static_cast<double>(steps))) <= 0; };
  while (is_good(bad)) good = bad, bad += std::max<std::uint64_t>(1, good / 32);
  while (bad - good > std::max<std::uint64_t>(1, good / 10000)) {
    const std::uint64_t middle = good + (bad - good) / 2;
    (is_good(middle) ? good : bad) = middle;
  }
  return checked_steps(excess, plan, good);
}

double rate_for(ReleasePlan plan, const Target& target, AccountantChoice only) {
  const Excess excess(target, only);
  const auto at = [&](double log_rate) {
    plan.rate = rate_below(plan, std::min(1.0, std::exp(log_rate)));
    return excess(plan);
  };
  Bracket b{std::log(1e-9), 0, 0, at(0)};
  if (b.at_bad <= 0) return checked_rate(excess, plan, 1);
  b.at_good = at(b.good);
  require(b.at_good <= 0, "rate", "no sampling rate from 1e-9 on keeps this target; raise noise");
  return checked_rate(excess, plan, std::exp(narrowed(b, at, kTolerance).at));
}

double epsilon_for(const ReleasePlan& plan, const Target& target, AccountantChoice only) {
  const Event event = plan.event(target.relation);
  const double epsilon = account_epsilon(event, target.relation, target.delta, only).value.upper;
  if (!(epsilon <= kMaxEpsilon)) return epsilon;
  return stepped(
      epsilon, [](double x, double by) { return std::min(kMaxEpsilon, x * (1 + by) + 1e-9 * by); },
      [&](double x) { return account_delta(event, target.relation, x, only).value.upper <= target.delta ? 0 : kSome; });
}

double delta_for(const ReleasePlan& plan, const Target& target, AccountantChoice only) {
  const Event event = plan.event(target.relation);
  const double delta = account_delta(event, target.relation, target.epsilon, only).value.upper;
  return stepped(
      delta, [](double x, double by) { return std::min(1.0, x * (1 + by) + 1e-300 * by); },
      [&](double x) {
        return x >= 1 || account_epsilon(event, target.relation, x, only).value.upper <= target.epsilon ? 0 : kSome;
      });
}

}  // namespace sotto
