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
#include <memory>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/privacy/accountant/gdp.h"
#include "sotto/privacy/accountant/rdp.h"
#include "sotto/privacy/accountant/zcdp.h"
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

/// Between two coarse orders below this lie three more, so that the best is near enough to one of them.
constexpr double kDense = 64;

std::vector<double> dense_orders() {
  std::vector<double> orders;
  for (const double order : coarse_orders()) {
    const double before = orders.empty() || order > kDense ? order : orders.back();
    for (int i = 1; i < 4 && before < order; ++i) {
      orders.push_back(1 + (before - 1) * std::pow((order - 1) / (before - 1), i / 4.0));
    }
    orders.push_back(order);
  }
  return orders;
}

template <class F>
bool applies(const F& f) {
  try {
    f();
    return true;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unsupported) throw;
    return false;
  }
}

/// delta of a run at one epsilon after another: exact for Gaussian runs, else by the best order. Divergences that take
/// long are computed once, at orders fixed beforehand; every order is valid.
class RunProfile {
 public:
  RunProfile(const Event& run, Relation relation) : run_(run), relation_(relation) {
    if (applies([&] { mu_ = gdp_mu_of(run_, relation_); })) {
      kind_ = Kind::gaussian;
    } else if (applies([&] { zcdp_rho_of(run_, relation_); })) {
      kind_ = Kind::closed_form;
    } else {
      for (const double order : dense_orders()) points_.push_back({order, rdp_of(run_, relation_, order)});
    }
  }
  bool is_of(const Event& run, Relation relation) const { return relation == relation_ && run == run_; }
  double delta(double epsilon) const {
    if (kind_ == Kind::gaussian) return mu_ == 0 ? 0 : gaussian_delta(mu_, epsilon);
    if (kind_ == Kind::closed_form) return rdp_delta(run_, relation_, epsilon).value;
    double least = 1;
    for (const Point& point : points_) least = std::min(least, rdp_to_delta(point.order, point.rdp, epsilon));
    return least;
  }

 private:
  enum class Kind { gaussian, closed_form, table };
  struct Point {
    double order, rdp;
  };
  Event run_;
  Relation relation_;
  Kind kind_ = Kind::table;
  double mu_ = 0;
  std::vector<Point> points_;
};

/// Its price is asked for at a hundred orders in turn.
double run_delta(const Event& run, Relation relation, double epsilon) {
  thread_local std::unique_ptr<RunProfile> recent;
  if (!recent || !recent->is_of(run, relation)) recent = std::make_unique<RunProfile>(run, relation);
  return recent->delta(epsilon);
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
