// What: the guarantee of a fixed plan whose events are of one kind.
// Formula: pure: sum of epsilon; Gaussian: mu^2 adds, delta_G; discrete Gaussian: rho adds, optimal conversion.
// Conditions: the plan is fixed before a row is read (spec 6.1); parts of one charge are disjoint (spec 6.3).
// Reference: [Dwork14, Theorem 3.16]; [Dong22, Corollary 3.3]; [Canonne20].
// Fails if wrong: Event.*, Algorithms.EveryPlanRecomputesToItsGuarantee.
#include "sotto/privacy/event.h"

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/privacy/gaussian.h"

namespace sotto {
namespace {

struct Totals {
  double epsilon = 0;
  double mu_squared = 0;
  double rho = 0;
  int kinds() const { return (epsilon > 0 ? 1 : 0) + (mu_squared > 0 ? 1 : 0) + (rho > 0 ? 1 : 0); }
};

struct Adder {
  Totals& totals;
  double times;
  void operator()(const L2LaplaceEvent& e) const { totals.epsilon += times * e.epsilon; }
  void operator()(const DiscreteLaplaceEvent& e) const { totals.epsilon += times * e.epsilon; }
  void operator()(const GaussianEvent& e) const { totals.mu_squared += times * e.mu * e.mu; }
  void operator()(const DiscreteGaussianEvent& e) const { totals.rho += times * e.rho; }
};

}  // namespace

double composed_delta(std::span<const Charge> charges, double epsilon) {
  Totals totals;
  for (const Charge& charge : charges) std::visit(Adder{totals, static_cast<double>(charge.times)}, charge.event);
  if (totals.kinds() > 1) {
    throw Error(ErrorKind::unsupported, "a plan that mixes kinds of events needs an accountant that composes them");
  }
  if (totals.mu_squared > 0) return gaussian_delta(std::sqrt(totals.mu_squared), epsilon);
  if (totals.rho > 0) return zcdp_delta(totals.rho, epsilon);
  return totals.epsilon <= epsilon * (1 + 1e-12) ? 0.0 : 1.0;
}

}  // namespace sotto
