// What: Renyi differential privacy of a plan and its conversion to (epsilon, delta).
// Formula: divergences of one order add. epsilon = R + ln(1 - 1/a) - (ln delta + ln a)/(a - 1);
//   delta = exp((a-1)(R - epsilon)) (1 - 1/a)^a / (a - 1).
//   Selection, Poisson(m): R + m delta' + ln(m)/(a-1), delta' the run's at ln(1 + 1/(a-1)); truncated negative
//   binomial: R + (1+eta)((1-1/b) R_b + ln(1/gamma)/b) + ln(mean)/(a-1) for any order b.
// Conditions: order above 1; all events fixed before a row is read, or one order fixed beforehand (filter).
// Reference: [Mironov17, Proposition 1]; [Canonne20, Proposition 12]; [Papernot22, Theorems 2 and 6].
// Fails if wrong: AccountantRdp.*, AccountantVectors.*
#include "sotto/privacy/accountant/rdp.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "sotto/privacy/accountant/objective.h"
#include "sotto/privacy/accountant/refusal.h"
#include "sotto/privacy/accountant/sampled_rdp.h"
#include "sotto/privacy/accountant/selection.h"
#include "sotto/privacy/accountant/worlds.h"

namespace sotto {
namespace {

constexpr std::string_view kMe = "rdp";
constexpr double kUp = 1 + 1e-12;

/// Randomised response, the dearest pure mechanism [Mironov17].
double pure(double epsilon, double order) {
  const double a = order;
  // p^a q^(1-a) + q^a p^(1-a), p/q = e^epsilon, over the dominant term.
  const double log_q = -epsilon - std::log1p(std::exp(-epsilon));
  const double log_moment = a * epsilon + log_q + std::log1p(std::exp((1 - 2 * a) * epsilon));
  return std::max(0.0, std::min({epsilon, a * epsilon * epsilon / 2, log_moment / (a - 1) + 1e-15 / (a - 1)})) * kUp;
}

double laplace(double epsilon, double order) {
  const double a = order;
  const double log_moment =
      std::log(a / (2 * a - 1)) + (a - 1) * epsilon + std::log1p((a - 1) / a * std::exp(-(2 * a - 1) * epsilon));
  return std::min(pure(epsilon, order), (log_moment + 1e-15) / (a - 1) * kUp);
}

struct Coster {
  double order;
  Side side;
  double operator()(const PureEvent& e) const { return pure(e.epsilon, order); }
  double operator()(const ApproximateEvent& e) const {
    if (e.delta > 0) refuse(kMe, e.kName, "with delta above 0 its divergence may be infinite");
    return pure(e.epsilon, order);
  }
  double operator()(const L2LaplaceEvent& e) const { return pure(e.epsilon, order); }
  double operator()(const DiscreteLaplaceEvent& e) const { return pure(e.epsilon, order); }
  double operator()(const ScalarLaplaceEvent& e) const { return laplace(e.epsilon, order); }
  double operator()(const ScalarDiscreteLaplaceEvent& e) const {
    return pure(e.decay * static_cast<double>(e.shift), order);
  }
  double operator()(const GaussianEvent& e) const { return order * e.mu * e.mu / 2 * kUp; }
  double operator()(const DiscreteGaussianEvent& e) const { return order * e.rho * kUp; }
  double operator()(const ZcdpEvent& e) const { return order * e.rho * kUp; }
  double operator()(const ExponentialEvent& e) const {
    return std::min(pure(e.epsilon, order), order * e.epsilon * e.epsilon / 8 * kUp);
  }
  double operator()(const ObjectiveEvent& e) const { return objective_rdp(e, order); }
  double operator()(const PoissonSampledEvent& e) const {
    if (e.law != NoiseLaw::gaussian) refuse(kMe, e.kName, "sampled Laplace noise is accounted by pure or pld");
    return side == Side::replace ? poisson_rdp_replace_one(e.rate, e.noise, order)
                                 : poisson_rdp_add_remove(e.rate, e.noise, order);
  }
  double operator()(const FixedSizeSampledEvent& e) const {
    if (side != Side::replace) refuse(kMe, e.kName, "a batch of fixed size needs replace_one");
    return fixed_size_rdp(e.rate, e.noise, order);
  }
  double operator()(const WithReplacementEvent& e) const {
    if (e.draws > 1) refuse(kMe, e.kName, "only one draw with replacement has a proof");
    if (side != Side::replace) refuse(kMe, e.kName, "a draw with replacement needs replace_one");
    return fixed_size_rdp(e.rate, e.noise, order);
  }
  double operator()(const SelectionEvent& e) const { return selection_rdp(e, relation_of(side), order); }
};

/// What steps cost at one order. A row removed from a sample costs what a row added to it costs, and worlds ask for
/// both: the last of these costs is kept.
class StepCosts {
 public:
  explicit StepCosts(double order) : order_(order) {}
  double of(const Step& step) {
    const auto* sampled = std::get_if<PoissonSampledEvent>(&step.leaf);
    if (sampled == nullptr || step.side == Side::replace) return std::visit(Coster{order_, step.side}, step.leaf);
    if (last_ == nullptr || !(*last_ == *sampled)) {
      cost_ = std::visit(Coster{order_, step.side}, step.leaf);
      last_ = sampled;
    }
    return cost_;
  }

 private:
  double order_;
  const PoissonSampledEvent* last_ = nullptr;  // of a step that stays
  double cost_ = 0;
};

RdpAnswer best(const std::function<double(double)>& at, std::span<const double> orders) {
  RdpAnswer found{std::numeric_limits<double>::infinity(), 0};
  for (const double order : orders) {
    const double value = at(order);
    if (value < found.value) found = {value, order};
  }
  return found;
}

/// Golden section between the neighbours of the best coarse order; every order is valid, so a miss only costs.
RdpAnswer refined(const std::function<double(double)>& at) {
  const auto orders = coarse_orders();
  RdpAnswer found = best(at, orders);
  if (found.order == 0) return found;
  const auto here = std::find(orders.begin(), orders.end(), found.order);
  double low = here == orders.begin() ? *here : *(here - 1);
  double high = here + 1 == orders.end() ? *here : *(here + 1);
  constexpr double kGolden = 0.6180339887498949;
  for (int i = 0; i < 24; ++i) {
    const double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
    const double at_a = at(a), at_b = at(b);
    if (at_a < found.value) found = {at_a, a};
    if (at_b < found.value) found = {at_b, b};
    (at_a < at_b ? high : low) = at_a < at_b ? b : a;
  }
  return found;
}

/// The conversion in every world, and the worst of them.
template <class Convert>
std::function<double(double)> converted(const std::vector<World>& all, Convert convert) {
  return [all, convert](double order) {
    double worst = 0;
    StepCosts costs(order);
    for (const World& world : all) {
      double sum = 0;
      for (const Step& step : world) sum += costs.of(step) * static_cast<double>(step.count);
      worst = std::max(worst, convert(order, sum * kUp));
    }
    return worst;
  };
}

}  // namespace

double rdp_of(const Event& event, Relation relation, double order) {
  require(order > 1 && order <= 1e6, "order", "must be above 1 and at most 1000000");
  return converted(worlds(event, relation), [](double, double sum) { return sum; })(order);
}

double rdp_to_epsilon(double order, double rdp, double delta) {
  const double epsilon = rdp + std::log1p(-1 / order) - (std::log(delta) + std::log(order)) / (order - 1);
  return std::max(0.0, epsilon + 1e-14 * (1 + std::fabs(epsilon)));
}

double rdp_to_delta(double order, double rdp, double epsilon) {
  const double log_delta = (order - 1) * (rdp - epsilon) + order * std::log1p(-1 / order) - std::log(order - 1);
  if (!(log_delta < 0)) return 1;
  return std::max(5e-324, std::exp(log_delta + 1e-14 * (1 + std::fabs(log_delta))));
}

std::span<const double> coarse_orders() {
  static const std::vector<double> kOrders = [] {
    std::vector<double> orders{1.01, 1.02, 1.05, 1.1, 1.2, 1.35, 1.5, 1.75, 2,  2.5, 3,  3.5, 4,  5,   6,   7,
                               8,    10,   12,   14,  16,  20,   24,  28,   32, 40,  48, 64,  96, 128, 192, 256};
    for (double order = 384; order < 1e5; order = std::ceil(order * 1.5)) orders.push_back(order);
    orders.push_back(1e5);
    return orders;
  }();
  return kOrders;
}

RdpAnswer rdp_epsilon(const Event& event, Relation relation, double delta, std::span<const double> orders) {
  const auto convert = [delta](double order, double sum) { return rdp_to_epsilon(order, sum, delta); };
  return best(converted(worlds(event, relation), convert), orders);
}
RdpAnswer rdp_epsilon(const Event& event, Relation relation, double delta) {
  const auto convert = [delta](double order, double sum) { return rdp_to_epsilon(order, sum, delta); };
  return refined(converted(worlds(event, relation), convert));
}
RdpAnswer rdp_delta(const Event& event, Relation relation, double epsilon) {
  const auto convert = [epsilon](double order, double sum) { return rdp_to_delta(order, sum, epsilon); };
  return refined(converted(worlds(event, relation), convert));
}

}  // namespace sotto
