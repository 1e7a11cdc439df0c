// What: the price of releasing the best of a random number of runs.
// Formula: run (a, R)-RDP. Poisson(m): R + m delta' + ln(m)/(a-1), the run (ln(1 + 1/(a-1)), delta')-DP.
//   Truncated negative binomial (eta, gamma): R + (1+eta)((1-1/b) R_b + ln(1/gamma)/b) + ln(mean)/(a-1), any order b.
//   mean = eta (1-gamma) / (gamma (1 - gamma^eta)); eta = 0: (1/gamma - 1)/ln(1/gamma).
// Conditions: the run is (model, score) with the score's noise in its price; runs independent and identically
//   distributed; their number drawn from the secret stream and not reported (spec 6.7).
// Reference: [Papernot22, Theorems 2 and 6, Definition 1].
// Fails if wrong: AccountantSelection.*
#include "sotto/privacy/accountant/selection.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/privacy/accountant/gdp.h"
#include "sotto/privacy/accountant/rdp.h"
#include "sotto/privacy/gaussian.h"

namespace sotto {
namespace {

/// Any order is valid for the second divergence; few are enough, as its price is flat around the best.
constexpr double kOtherOrders[] = {1.1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256, 1024};

double mean_of(double gamma, double shape) {
  const double log_inverse = -std::log(gamma);
  if (std::fabs(shape) < 1e-9) return (1 / gamma - 1) / log_inverse;
  // shape (1-gamma) / (gamma (1 - gamma^shape))
  return shape * (1 - gamma) / (gamma * -std::expm1(-shape * log_inverse));
}

/// delta of the run at epsilon: exact for Gaussian runs, by RDP otherwise.
double run_delta(const Event& run, Relation relation, double epsilon) {
  try {
    const double mu = gdp_mu_of(run, relation);
    return mu == 0 ? 0 : gaussian_delta(mu, epsilon);
  } catch (const Error&) {
    return rdp_delta(run, relation, epsilon).value;
  }
}

}  // namespace

double negative_binomial_gamma(const NegativeBinomialRuns& runs) {
  double low = 1e-300, high = 1;  // the mean falls from infinity to 1 as gamma rises
  for (int i = 0; i < 2000 && std::nextafter(low, high) < high; ++i) {
    const double middle = high > 2 * low ? std::sqrt(low) * std::sqrt(high) : low + (high - low) / 2;
    if (!(middle > low && middle < high)) break;
    (mean_of(middle, runs.shape) > runs.mean ? low : high) = middle;
  }
  return low;
}

double selection_rdp(const SelectionEvent& event, Relation relation, double order) {
  const double base = rdp_of(*event.run, relation, order);
  if (const auto* runs = std::get_if<PoissonRuns>(&event.runs)) {
    const double delta = run_delta(*event.run, relation, std::log1p(1 / (order - 1)));
    return base + runs->mean * delta + std::max(0.0, std::log(runs->mean)) / (order - 1);
  }
  const auto& runs = std::get<NegativeBinomialRuns>(event.runs);
  const double log_inverse_gamma = -std::log(negative_binomial_gamma(runs));
  double extra = std::numeric_limits<double>::infinity();
  for (const double other : kOtherOrders) {
    const double price = (1 - 1 / other) * rdp_of(*event.run, relation, other) + log_inverse_gamma / other;
    extra = std::min(extra, price);
  }
  return (base + (1 + runs.shape) * extra + std::log(runs.mean) / (order - 1)) * (1 + 1e-12);
}

}  // namespace sotto
