// What: dominating pairs of all events that have one (spec 6.2).
// Formula: pure: randomised response; Gaussian: N(mu,1) | N(0,1); Laplace: shifted Laplace laws; bounded range,
//   E = e^eps: profile (sqrt E - sqrt x)^2/(E - 1), derived in docs/accounting.md; Poisson: (1-q)Q + qP | Q and
//   reversed, or (1-q)N(0) + qN(1) | (1-q)N(0) + qN(-1); fixed size: q delta_G(2/s; ln(1 + (e^eps - 1)/q)), mirrored
//   below 0.
// Conditions: as the events state; fixed-size and with-replacement sampling under replace_one only.
// Reference: [Zhu22, Theorems 10 and 11]; [Kairouz15, Theorem 3.3]; [Dong20]; [Balle20, Theorem 9].
// Fails if wrong: AccountantPld.*, AccountantVectors.*
#include "sotto/privacy/accountant/loss_law.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/privacy/accountant/gdp.h"
#include "sotto/privacy/accountant/refusal.h"

namespace sotto {
namespace {

constexpr std::string_view kMe = "pld";
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Tail {
  double above, below;
};
Tail normal_tail(double z) {
  const double small = std::erfc(std::fabs(z) * 0.7071067811865476) / 2;
  return z > 0 ? Tail{small, 1 - small} : Tail{1 - small, small};
}
Tail mix(double rate, const Tail& with, const Tail& without) {
  return {rate * with.above + (1 - rate) * without.above, rate * with.below + (1 - rate) * without.below};
}
LossTails joined(const Tail& p, const Tail& q) { return {p.above, p.below, q.above, q.below}; }
LossTails exchanged(const LossTails& t) { return {t.q_below, t.q_above, t.p_below, t.p_above}; }
constexpr LossTails kAllAbove{1, 0, 1, 0};
constexpr LossTails kAllBelow{0, 1, 0, 1};

LossLaw randomised_response(double epsilon, double delta) {
  const double rare = 1 / (1 + std::exp(epsilon));
  const auto tails = [=](double t) -> LossTails {
    LossTails all = t < -epsilon ? kAllAbove : t < epsilon ? LossTails{1 - rare, rare, rare, 1 - rare} : kAllBelow;
    return {(1 - delta) * all.p_above, (1 - delta) * all.p_below, (1 - delta) * all.q_above, (1 - delta) * all.q_below};
  };
  return {tails, delta, epsilon, true, epsilon};
}

LossLaw gaussian(double mu) {
  return {[=](double t) { return joined(normal_tail(t / mu - mu / 2), normal_tail(t / mu + mu / 2)); }};
}

/// Laplace of scale 1 at e against 0, where e = sensitivity / scale: losses from -e to e, atoms at both ends.
LossLaw laplace(double e) {
  const auto tails = [=](double t) -> LossTails {
    if (t < -e) return kAllAbove;
    if (t >= e) return kAllBelow;
    // The loss is 2x - e between 0 and e; it exceeds t for x > (e + t)/2.
    const double x = (e + t) / 2;
    const Tail p{1 - std::exp(x - e) / 2, std::exp(x - e) / 2};
    const Tail q{std::exp(-x) / 2, 1 - std::exp(-x) / 2};
    return joined(p, q);
  };
  return {tails, 0, e, false, e};
}

/// Mass exp(-a |k|) at shift n against 0: losses a (|k| - |k - n|), from -a n to a n in steps of 2 a.
LossLaw discrete_laplace(double a, std::uint64_t n) {
  const double e = a * static_cast<double>(n);
  const double edge = 1 / (1 + std::exp(-a));  // P[k >= 0]
  const auto above = [=](double k) { return k >= 0 ? edge * std::exp(-a * k) : 1 - edge * std::exp(-a * (1 - k)); };
  const auto below = [=](double k) { return k <= 0 ? edge * std::exp(-a * (1 - k)) : 1 - edge * std::exp(-a * k); };
  const auto tails = [=](double t) -> LossTails {
    if (t < -e * (1 + 1e-14)) return kAllAbove;
    if (t >= e * (1 - 1e-14)) return kAllBelow;
    // The smallest k with a (2k - n) > t; equality up to rounding is not above.
    const double first = std::floor((t * (1 + 1e-14 * (t > 0 ? 1 : -1)) + e) / (2 * a) + 1e-12) + 1;
    const double nn = static_cast<double>(n);
    return {above(first - nn), below(first - nn), above(first), below(first)};
  };
  return {tails, 0, a, true, e};
}

/// The smallest profile above those of all bounded-range mechanisms: densities x^(-3/2) in x = e^loss.
LossLaw bounded_range(double epsilon) {
  const double scale = std::expm1(epsilon);
  const auto tails = [=](double t) -> LossTails {
    if (t < -epsilon) return kAllAbove;
    if (t >= epsilon) return kAllBelow;
    const double p_below = std::expm1((epsilon + t) / 2) / scale;
    const double p_above = std::exp((epsilon + t) / 2) * std::expm1((epsilon - t) / 2) / scale;
    const double q_above = std::expm1((epsilon - t) / 2) / scale;
    const double q_below = std::exp((epsilon - t) / 2) * std::expm1((epsilon + t) / 2) / scale;
    return {p_above, p_below, q_above, q_below};
  };
  return {tails, 0, 0, false, epsilon};
}

/// P mixed into Q with probability `rate`: ((1-q) Q + q P | Q). The loss exceeds t iff the base loss exceeds
/// ln((e^t - 1 + q)/q).
LossLaw sampled_remove(const LossLaw& base, double rate) {
  const auto tails = [=, inner = base.tails](double t) -> LossTails {
    const double excess = (std::expm1(t) + rate) / rate;
    if (!(excess > 0)) return kAllAbove;
    const LossTails b = inner(t > 700 ? t - std::log(rate) : std::log(excess));
    return joined(mix(rate, {b.p_above, b.p_below}, {b.q_above, b.q_below}), {b.q_above, b.q_below});
  };
  const double lattice = base.lattice > 0 ? std::log1p(rate * std::expm1(base.lattice)) : 0;
  return {tails, base.p_infinite * rate, lattice, false, std::log1p(rate * std::expm1(base.top))};
}

LossLaw sampled(const LossLaw& base, double rate, Side side) {
  LossLaw remove = rate < 1 ? sampled_remove(base, rate) : base;
  if (side == Side::remove) return remove;
  // (Q | (1-q) Q + q P): the loss changes its sign, so what exceeded t lies below -t.
  const auto tails = [inner = remove.tails](double t) { return exchanged(inner(std::nextafter(-t, -kInfinity))); };
  const double lattice = rate < 1 && base.lattice > 0 ? -std::log1p(rate * std::expm1(-base.lattice)) : base.lattice;
  return {tails, 0, lattice, false, -std::log1p(rate * std::expm1(-base.top))};
}

/// (1-q) N(0,s^2) + q N(1,s^2) against (1-q) N(0,s^2) + q N(-1,s^2); its loss is odd and increasing in x.
LossLaw sampled_replace(double rate, double noise) {
  const double v = noise * noise;
  const double log_ratio = std::log1p(-rate) - std::log(rate) + 1 / (2 * v);  // ln((1-q)/(q e^(-1/2v)))
  const auto threshold = [=](double t) {
    const double half = std::fabs(t) / 2;
    if (half == 0) return 0.0;
    const double log_z =
        rate == 1 ? -kInfinity : log_ratio + (half > 20 ? half - 0.6931471805599453 : std::log(std::sinh(half)));
    const double turn = log_z > 300 ? log_z + 0.6931471805599453 : std::asinh(std::exp(log_z));
    return std::copysign(v * (half + turn), t);
  };
  const auto tails = [=](double t) {
    const double x = threshold(t);
    const Tail zero = normal_tail(x / noise);
    return joined(mix(rate, normal_tail((x - 1) / noise), zero), mix(rate, normal_tail((x + 1) / noise), zero));
  };
  return {tails};
}

/// Losses above 0 of the Poisson pair with shift 2/s, their mirror images below 0, the rest at 0 (spec 6.2).
LossLaw fixed_size(double rate, double noise) {
  if (rate == 1) return gaussian(2 / noise);
  const LossLaw upper = sampled_remove(gaussian(2 / noise), rate);
  const auto tails = [inner = upper.tails](double t) -> LossTails {
    const bool mirrored = t < 0;
    const LossTails b = inner(mirrored ? std::nextafter(-t, 0.0) : t);
    const LossTails high{b.p_above, 1 - b.p_above, b.q_above, 1 - b.q_above};
    return mirrored ? exchanged(high) : high;
  };
  return {tails};
}

struct Maker {
  Side side;
  LossLaw operator()(const PureEvent& e) const { return randomised_response(e.epsilon, 0); }
  LossLaw operator()(const ApproximateEvent& e) const { return randomised_response(e.epsilon, e.delta); }
  LossLaw operator()(const L2LaplaceEvent& e) const { return randomised_response(e.epsilon, 0); }
  LossLaw operator()(const DiscreteLaplaceEvent& e) const { return randomised_response(e.epsilon, 0); }
  LossLaw operator()(const ScalarLaplaceEvent& e) const { return laplace(e.epsilon); }
  LossLaw operator()(const ScalarDiscreteLaplaceEvent& e) const { return discrete_laplace(e.decay, e.shift); }
  LossLaw operator()(const GaussianEvent& e) const { return gaussian(e.mu); }
  LossLaw operator()(const DiscreteGaussianEvent& e) const {
    refuse(kMe, e.kName, "its law depends on the grid and the dimension; only zcdp and rdp hold for all");
  }
  LossLaw operator()(const ZcdpEvent& e) const { refuse(kMe, e.kName, "its law is not known; use zcdp or rdp"); }
  LossLaw operator()(const ExponentialEvent& e) const { return bounded_range(e.epsilon); }
  LossLaw operator()(const ObjectiveEvent& e) const {
    refuse(kMe, e.kName, "its profile is a bound without a dominating pair; use pure or rdp");
  }
  LossLaw operator()(const PoissonSampledEvent& e) const {
    if (side == Side::replace) {
      if (e.law != NoiseLaw::gaussian) refuse(kMe, e.kName, "sampled Laplace noise has a pair under add_remove only");
      return sampled_replace(e.rate, e.noise);
    }
    switch (e.law) {
      case NoiseLaw::gaussian: return sampled(gaussian(1 / e.noise), e.rate, side);
      case NoiseLaw::laplace: return sampled(laplace(1 / e.noise), e.rate, side);
      case NoiseLaw::discrete_laplace: return sampled(discrete_laplace(1 / e.noise, e.shift), e.rate, side);
    }
    refuse(kMe, e.kName, "unknown law");
  }
  LossLaw operator()(const FixedSizeSampledEvent& e) const {
    if (side != Side::replace) refuse(kMe, e.kName, "a batch of fixed size needs replace_one");
    return fixed_size(e.rate, e.noise);
  }
  LossLaw operator()(const WithReplacementEvent& e) const {
    if (e.draws > 1) refuse(kMe, e.kName, "only one draw with replacement has a proof");
    if (side != Side::replace) refuse(kMe, e.kName, "a draw with replacement needs replace_one");
    return fixed_size(e.rate, e.noise);
  }
  LossLaw operator()(const SelectionEvent& e) const {
    refuse(kMe, e.kName, "its theorem bounds Renyi divergences only; use rdp");
  }
};

}  // namespace

double rounding_of_tail(double mass) noexcept {
  constexpr double kDenormal = 1e-322;
  return (mass > 0 ? (4 - 4 * std::log(mass)) * 0x1p-53 * mass : 0) + kDenormal;
}

LossLaw loss_law(const Leaf& leaf, Side side) { return std::visit(Maker{side}, leaf); }

World with_merged_gaussians(const World& world) {
  World merged;
  std::vector<GaussianCount> gaussians;
  for (const Step& step : world) {
    if (const auto* e = std::get_if<GaussianEvent>(&step.leaf)) {
      gaussians.push_back({e->mu, static_cast<double>(step.count)});
    } else {
      merged.push_back(step);
    }
  }
  if (!gaussians.empty()) merged.push_back({GaussianEvent{joint_mu(gaussians)}, 1, Side::replace});
  return merged;
}

}  // namespace sotto
