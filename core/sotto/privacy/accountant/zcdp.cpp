// What: zero-concentrated differential privacy of a plan.
// Formula: rho adds; Gaussian mu^2/2; pure epsilon^2/2; bounded range epsilon^2/8; discrete Gaussian rho.
// Conditions: none on the numbers; sampled, approximate and selected events have no rho here.
// Reference: [Bun16]; [Canonne20]; bounded range: [Cesar21].
// Fails if wrong: AccountantZcdp.*, AccountantVectors.*
#include "sotto/privacy/accountant/zcdp.h"

#include <algorithm>
#include <cmath>

#include "sotto/privacy/accountant/refusal.h"
#include "sotto/privacy/accountant/worlds.h"
#include "sotto/privacy/gaussian.h"

namespace sotto {
namespace {

constexpr std::string_view kMe = "zcdp";
constexpr double kUp = 1 + 0x1p-52;

/// Covers the rounding of a sum of that many products, and no more: a calibrated rho must recompute.
double rounding_of(std::size_t steps) { return 1 + static_cast<double>(steps + 1) * 0x1p-52; }

/// x^2 share, rounded up, from underflow too.
double square(double x, double share) {
  const double value = x * x * share * kUp;
  return value > 1e-290 ? value : value + 1e-322;
}
double pure(double epsilon) { return square(epsilon, 0.5); }

struct Coster {
  double operator()(const PureEvent& e) const { return pure(e.epsilon); }
  double operator()(const ApproximateEvent& e) const {
    if (e.delta > 0) refuse(kMe, e.kName, "delta above 0 has no rho");
    return pure(e.epsilon);
  }
  double operator()(const L2LaplaceEvent& e) const { return pure(e.epsilon); }
  double operator()(const DiscreteLaplaceEvent& e) const { return pure(e.epsilon); }
  double operator()(const ScalarLaplaceEvent& e) const { return pure(e.epsilon); }
  double operator()(const ScalarDiscreteLaplaceEvent& e) const { return pure(e.decay * static_cast<double>(e.shift)); }
  double operator()(const GaussianEvent& e) const { return square(e.mu, 0.5); }
  double operator()(const DiscreteGaussianEvent& e) const { return e.rho; }
  double operator()(const ZcdpEvent& e) const { return e.rho; }
  double operator()(const ExponentialEvent& e) const { return square(e.epsilon, 0.125); }
  double operator()(const ObjectiveEvent& e) const { refuse(kMe, e.kName, "its bound is no multiple of the order"); }
  double operator()(const PoissonSampledEvent& e) const { refuse(kMe, e.kName, kSampled); }
  double operator()(const FixedSizeSampledEvent& e) const { refuse(kMe, e.kName, kSampled); }
  double operator()(const WithReplacementEvent& e) const { refuse(kMe, e.kName, kSampled); }
  double operator()(const SelectionEvent& e) const { refuse(kMe, e.kName, "its bound holds at single orders only"); }

  static constexpr std::string_view kSampled = "no rho at all orders gains from sampling; use rdp or pld";
};

}  // namespace

double zcdp_rho_of(const Event& event, Relation relation) {
  double dearest = 0;
  for (const World& world : worlds(event, relation)) {
    double rho = 0;
    for (const Step& step : world) rho += std::visit(Coster{}, step.leaf) * static_cast<double>(step.count);
    dearest = std::max(dearest, rho * rounding_of(world.size()));
  }
  return dearest;
}

double zcdp_epsilon(double rho, double delta) {
  if (rho == 0) return 0;
  double low = 0;
  double high = rho + 2 * std::sqrt(rho * -std::log(delta)) + 1e-300;  // the simple conversion always suffices
  while (zcdp_delta(rho, high) > delta) high = high * 2 + 1e-300;
  for (int i = 0; i < 200 && std::nextafter(low, high) < high; ++i) {
    const double middle = low + (high - low) / 2;
    (zcdp_delta(rho, middle) <= delta ? high : low) = middle;
  }
  return high;
}

}  // namespace sotto
