// What: the privacy profile and the Renyi divergence of objective perturbation.
// Formula: x = epsilon - c; delta = sum_i N_i delta_G(sqrt(mu_i^2 + mu_o^2); x) + delta_G(mu_o; x);
//   order 1 + t: c + (1/t) ln(1 + sum_i N_i e^{t(t+1) mu_i^2/2} Phi(mu_i/2 + t mu_i)) + (1 + t) mu_o^2/2.
// Conditions: those of the event; x >= 0.
// Reference: spec 7.7; derivation in docs/notes/objective.md.
// Fails if wrong: ObjectiveEvents.* (recomputed apart), ObjectiveLoss.* (exact losses of neighbours).
#include "sotto/privacy/accountant/objective.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/privacy/gaussian.h"

namespace sotto {
namespace {

constexpr double kUp = 1 + 0x1p-48;

/// ln Phi(z) for z > 0, rounded up.
double log_phi(double z) { return std::log1p(-0.5 * std::erfc(z / std::sqrt(2.0)) * (1 - 1e-12)); }

}  // namespace

double objective_delta(const ObjectiveEvent& event, double epsilon) {
  const double x = epsilon - event.log_determinant - 0x1p-50 * (epsilon + event.log_determinant);
  if (!(x >= 0)) return 1;
  double delta = gaussian_delta(event.release_mu, x);
  for (const ObjectiveEvent::Shift& shift : event.shifts) {
    delta += shift.count * gaussian_delta(std::hypot(shift.mu, event.release_mu) * kUp, x);
  }
  return std::min(1.0, delta * kUp);
}

double objective_rdp(const ObjectiveEvent& event, double order) {
  const double t = order - 1;
  std::vector<double> logs{0};
  for (const ObjectiveEvent::Shift& shift : event.shifts) {
    const double mu = shift.mu;
    logs.push_back(std::log(shift.count) + t * order * mu * mu / 2 + log_phi(mu / 2 + t * mu));
  }
  const double top = *std::max_element(logs.begin(), logs.end());
  double sum = 0;
  for (const double log : logs) sum += std::exp(log - top);
  const double moment = (top + std::log(sum)) * (1 + 1e-12) + 1e-14;
  return (event.log_determinant + moment / t + order * event.release_mu * event.release_mu / 2) * kUp;
}

}  // namespace sotto
