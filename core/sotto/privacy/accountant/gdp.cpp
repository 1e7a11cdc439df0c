// What: exact accounting of plans that are Gaussian throughout.
// Formula: mu^2 adds; delta(epsilon) = delta_G(mu; epsilon).
// Conditions: every event is Gaussian. The limit theorem for sampled events is an approximation and not used.
// Reference: [Dong22, Corollary 3.3]; [Balle18, Theorem 8].
// Fails if wrong: AccountantGdp.*, AccountantVectors.*
#include "sotto/privacy/accountant/gdp.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/privacy/accountant/refusal.h"
#include "sotto/privacy/accountant/worlds.h"
#include "sotto/privacy/gaussian.h"

namespace sotto {
namespace {

constexpr std::string_view kMe = "gdp";

/// Covers the rounding of a sum of that many products and its root, and no more: a calibrated mu must recompute.
double rounding_of(std::size_t steps) { return 1 + static_cast<double>(steps + 1) * 0x1p-52; }

struct Coster {
  double operator()(const GaussianEvent& e) const { return e.mu; }
  double operator()(const PoissonSampledEvent& e) const { refuse(kMe, e.kName, kLimit); }
  double operator()(const FixedSizeSampledEvent& e) const { refuse(kMe, e.kName, kLimit); }
  double operator()(const WithReplacementEvent& e) const { refuse(kMe, e.kName, kLimit); }
  double operator()(const PureEvent& e) const { refuse(kMe, e.kName, kOnly); }
  double operator()(const ApproximateEvent& e) const { refuse(kMe, e.kName, kOnly); }
  double operator()(const L2LaplaceEvent& e) const { refuse(kMe, e.kName, kOnly); }
  double operator()(const DiscreteLaplaceEvent& e) const { refuse(kMe, e.kName, kOnly); }
  double operator()(const ScalarLaplaceEvent& e) const { refuse(kMe, e.kName, kOnly); }
  double operator()(const ScalarDiscreteLaplaceEvent& e) const { refuse(kMe, e.kName, kOnly); }
  double operator()(const DiscreteGaussianEvent& e) const { refuse(kMe, e.kName, kOnly); }
  double operator()(const ZcdpEvent& e) const { refuse(kMe, e.kName, kOnly); }
  double operator()(const ExponentialEvent& e) const { refuse(kMe, e.kName, kOnly); }
  double operator()(const ObjectiveEvent& e) const {
    refuse(kMe, e.kName, "the Jacobian of the minimiser is no Gaussian loss");
  }
  double operator()(const SelectionEvent& e) const { refuse(kMe, e.kName, kOnly); }

  static constexpr std::string_view kLimit = "its central limit theorem is an approximation, not a bound";
  static constexpr std::string_view kOnly = "gdp is exact for Gaussian noise only";
};

}  // namespace

double joint_mu(std::span<const GaussianCount> all) {
  double largest = 0;
  for (const GaussianCount& one : all) largest = std::max(largest, one.mu);
  // Squares of tiny shifts would underflow to nothing; a power of two changes no digit.
  const double scale = largest < 0x1p-400 ? 0x1p+600 : 1;
  double squares = 0;
  for (const GaussianCount& one : all) squares += (one.mu * scale) * (one.mu * scale) * one.count;
  return std::sqrt(squares) / scale * rounding_of(all.size());
}

double gdp_mu_of(const Event& event, Relation relation) {
  double dearest = 0;
  for (const World& world : worlds(event, relation)) {
    std::vector<GaussianCount> all;
    for (const Step& step : world) all.push_back({std::visit(Coster{}, step.leaf), static_cast<double>(step.count)});
    dearest = std::max(dearest, joint_mu(all));
  }
  return dearest;
}

double gdp_epsilon(double mu, double delta) {
  if (mu == 0 || gaussian_delta(mu, 0) <= delta) return 0;
  double low = 0;
  double high = mu * mu / 2 + mu * std::sqrt(2 * -std::log(delta)) + mu;
  while (gaussian_delta(mu, high) > delta) high *= 2;
  for (int i = 0; i < 200 && std::nextafter(low, high) < high; ++i) {
    const double middle = low + (high - low) / 2;
    (gaussian_delta(mu, middle) <= delta ? high : low) = middle;
  }
  return high;
}

}  // namespace sotto
