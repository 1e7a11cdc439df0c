// What: epsilon and delta of a plan by basic composition.
// Formula: sums; Poisson sampling turns epsilon into ln(1 + rate (e^epsilon - 1)) under add_remove, and under
//   replace_one into that less ln(1 + rate (e^-epsilon - 1)): both laws are compared to the law without the row.
//   Selection over a truncated negative binomial number of runs costs (2 + shape) epsilon.
// Conditions: pure or (epsilon, delta) events.
// Reference: [Dwork14, Theorem 3.16]; [Balle20, Theorem 8]; [Papernot22].
// Fails if wrong: AccountantPure.*, AccountantVectors.*
#include "sotto/privacy/accountant/pure.h"

#include <algorithm>
#include <cmath>

#include "sotto/privacy/accountant/objective.h"
#include "sotto/privacy/accountant/refusal.h"
#include "sotto/privacy/accountant/worlds.h"

namespace sotto {
namespace {

constexpr std::string_view kMe = "pure";
constexpr double kUp = 1 + 0x1p-48;  // covers the rounding of a logarithm and an exponential

PureSum times(const PureSum& sum, std::uint64_t count) { return {sum.epsilon * count, sum.delta * count}; }

struct Coster {
  Side side;
  PureSum operator()(const PureEvent& e) const { return {exact_of(e.epsilon), 0}; }
  PureSum operator()(const ApproximateEvent& e) const { return {exact_of(e.epsilon), exact_of(e.delta)}; }
  PureSum operator()(const L2LaplaceEvent& e) const { return {exact_of(e.epsilon), 0}; }
  PureSum operator()(const DiscreteLaplaceEvent& e) const { return {exact_of(e.epsilon), 0}; }
  PureSum operator()(const ScalarLaplaceEvent& e) const { return {exact_of(e.epsilon), 0}; }
  PureSum operator()(const ScalarDiscreteLaplaceEvent& e) const { return {exact_of(e.decay) * e.shift, 0}; }
  PureSum operator()(const ExponentialEvent& e) const { return {exact_of(e.epsilon), 0}; }
  PureSum operator()(const GaussianEvent& e) const { refuse(kMe, e.kName, "its privacy loss is unbounded"); }
  PureSum operator()(const DiscreteGaussianEvent& e) const { refuse(kMe, e.kName, "its privacy loss is unbounded"); }
  PureSum operator()(const ObjectiveEvent& e) const {
    const double delta = objective_delta(e, e.epsilon);
    if (!(delta < 1)) refuse(kMe, e.kName, "it promises nothing at the epsilon it names");
    return {exact_of(e.epsilon), Exact(delta)};
  }
  PureSum operator()(const ZcdpEvent& e) const { refuse(kMe, e.kName, "its privacy loss is unbounded"); }
  PureSum operator()(const PoissonSampledEvent& e) const {
    if (e.law == NoiseLaw::gaussian) refuse(kMe, e.kName, "the privacy loss of Gaussian noise is unbounded");
    // The ratio to the law without the row lies between 1 + rate (e^-base - 1) and 1 + rate (e^base - 1).
    const double base = static_cast<double>(e.shift) / e.noise;
    const double up =
        base > 30 ? base + std::log(e.rate + (1 - e.rate) * std::exp(-base)) : std::log1p(e.rate * std::expm1(base));
    const double down = -std::log1p(e.rate * std::expm1(-base));
    return {exact_of((side == Side::replace ? up + down : up) * kUp), 0};
  }
  PureSum operator()(const FixedSizeSampledEvent& e) const { refuse(kMe, e.kName, "Gaussian noise has no pure bound"); }
  PureSum operator()(const WithReplacementEvent& e) const { refuse(kMe, e.kName, "Gaussian noise has no pure bound"); }
  PureSum operator()(const SelectionEvent& e) const {
    const auto* runs = std::get_if<NegativeBinomialRuns>(&e.runs);
    if (runs == nullptr) refuse(kMe, e.kName, "a Poisson number of runs has no pure bound");
    const PureSum base = pure_sum(*e.run, relation_of(side));
    if (base.delta != 0) refuse(kMe, e.kName, "the run must be pure");
    return {base.epsilon * exact_of(2 + runs->shape), 0};
  }
};

}  // namespace

PureSum pure_sum(const Event& event, Relation relation) {
  PureSum dearest{0, 0};
  for (const World& world : worlds(event, relation)) {
    PureSum total{0, 0};
    for (const Step& step : world) {
      const PureSum cost = times(std::visit(Coster{step.side}, step.leaf), step.count);
      total = {total.epsilon + cost.epsilon, total.delta + cost.delta};
    }
    // The larger of each: valid in every world.
    dearest = {std::max(dearest.epsilon, total.epsilon), std::max(dearest.delta, total.delta)};
  }
  return dearest;
}

}  // namespace sotto
