// What: filters for fully adaptive spending, in exact integers.
// Formula: sum of costs <= limit, costs rounded up, limits down. Limits: epsilon and delta; the largest rho, divergence
//   at one order or mu^2 whose conversion gives (epsilon, delta).
// Conditions: one currency and, for rdp, one order for the life of the budget; the test precedes every draw.
// Reference: sum: [Rogers16]; zcdp and rdp: [Feldman21]; gdp: [Smith22].
// Fails if wrong: AccountantFilter.*, its counterexample AccountantFilter.MinimumOverAccountantsAlongThePathFails.
#include "sotto/privacy/accountant/filter.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/base/rounded_text.h"
#include "sotto/privacy/accountant/exact.h"
#include "sotto/privacy/accountant/gdp.h"
#include "sotto/privacy/accountant/pure.h"
#include "sotto/privacy/accountant/rdp.h"
#include "sotto/privacy/accountant/zcdp.h"
#include "sotto/privacy/gaussian.h"

namespace sotto {
namespace {

using boost::multiprecision::cpp_int;
constexpr std::uint64_t kMax = std::uint64_t{1} << 62;  // sums of two stay in range

std::uint64_t clamped(const cpp_int& units) { return units > kMax ? kMax : units.convert_to<std::uint64_t>(); }
std::uint64_t units_down(const Exact& value, std::uint64_t units) {
  const Exact scaled = value * units;
  return clamped(numerator(scaled) / denominator(scaled));
}
std::uint64_t units_up(const Exact& value, std::uint64_t units) {
  const Exact scaled = value * units;
  return clamped((numerator(scaled) + denominator(scaled) - 1) / denominator(scaled));
}
/// An infinite or huge loss never fits.
std::uint64_t loss_up(double value) { return value < 1e6 ? units_up(exact_of(value), Filter::kLossUnits) : kMax; }

/// The divergence at `order` whose conversion gives (epsilon, delta); not above 0 where there is none.
double rdp_limit(double order, double epsilon, double delta) {
  const double limit = epsilon - std::log1p(-1 / order) + (std::log(delta) + std::log(order)) / (order - 1);
  return limit - 1e-13 * (1 + std::fabs(limit));
}

double best_order(double epsilon, double delta) {
  // The order at which an equal share of Gaussian releases is the largest: the limit over the order.
  double best = 0, found = 0;
  for (const double order : coarse_orders()) {
    const double share = rdp_limit(order, epsilon, delta) / order;
    if (share > best) {
      best = share;
      found = order;
    }
  }
  return found;
}

double currency_limit(const Filter::State& state, double delta) {
  switch (state.kind) {
    case FilterKind::zcdp: return zcdp_rho(state.budget.epsilon, delta);
    case FilterKind::rdp: return rdp_limit(state.rdp_order, state.budget.epsilon, delta);
    case FilterKind::gdp: {
      const double mu = gaussian_mu(state.budget.epsilon, delta);
      return mu * mu * (1 - 0x1p-50);
    }
    case FilterKind::sum: break;
  }
  return state.budget.epsilon;
}

Filter::Cost limit_of(const Filter::State& state) {
  const Exact delta = exact_of(state.budget.delta);
  if (state.kind == FilterKind::sum) {
    return {units_down(exact_of(state.budget.epsilon), Filter::kLossUnits), units_down(delta, Filter::kDeltaUnits)};
  }
  // A thousandth of delta pays for the distance between the noise drawn and the ideal law.
  const double kept = state.budget.delta / 1000;
  const double limit = currency_limit(state, state.budget.delta * 0.999 * (1 - 0x1p-50));
  require(limit > 0, "delta", "got " + number_text(state.budget.delta) + ", too small for this filter at this epsilon");
  // Results of bisection are numbers, not spellings: the exact value of the double is what was verified.
  return {units_down(Exact(limit), Filter::kLossUnits), units_down(Exact(kept * (1 - 0x1p-50)), Filter::kDeltaUnits)};
}

std::string loss_text(std::uint64_t amount) {
  constexpr std::uint64_t kUnits = Filter::kLossUnits;
  std::string digits = std::to_string(kUnits).substr(1);  // as many zeros as decimals
  const std::string fraction = std::to_string(amount % kUnits);
  digits.replace(digits.size() - fraction.size(), fraction.size(), fraction);
  digits.erase(digits.find_last_not_of('0') + 1);
  return std::to_string(amount / kUnits) + (digits.empty() ? "" : "." + digits);
}

}  // namespace

Filter Filter::open(FilterKind kind, const Budget& budget, double rdp_order) {
  budget.check();
  State state{kind, budget, 0, {}, {}};
  require(kind == FilterKind::sum || budget.delta > 0, "delta", "must be above 0 for this filter; sum takes delta = 0");
  if (kind == FilterKind::rdp) {
    state.rdp_order = rdp_order == 0 ? best_order(budget.epsilon, budget.delta) : rdp_order;
    require(state.rdp_order > 1 && state.rdp_order <= 1e5, "rdp_order", "must be above 1 and at most 100000");
  } else {
    require(rdp_order == 0, "rdp_order", "is for the rdp filter only");
  }
  state.limit = limit_of(state);
  require(state.limit.loss > 0, "epsilon", "got " + number_text(budget.epsilon) + ", too small for the filter's units");
  require(kind != FilterKind::sum || budget.delta == 0 || state.limit.delta > 0, "delta",
          "got " + number_text(budget.delta) + ", must be 0 or at least 1e-18 for the sum filter");
  return Filter(state);
}

Filter Filter::reopen(const State& state) {
  Filter filter = open(state.kind, state.budget, state.rdp_order);
  const Cost& limit = filter.state_.limit;
  const bool whole = state.limit == limit && state.spent.loss <= limit.loss && state.spent.delta <= limit.delta;
  if (!whole) throw Error(ErrorKind::invalid_data, "the stored filter does not agree with its budget");
  filter.state_.spent = state.spent;
  return filter;
}

Filter::Cost Filter::cost_of(const Event& event, double distance) const {
  require(distance >= 0 && distance <= 1, "distance", "must lie in [0, 1]");
  const Relation relation = state_.budget.relation;
  Cost cost;
  if (distance > 0) {
    const double delta = (1 + std::exp(std::min(700.0, state_.budget.epsilon))) * distance * (1 + 0x1p-48);
    cost.delta = units_up(Exact(std::min(delta, 1.0)), kDeltaUnits);
  }
  switch (state_.kind) {
    case FilterKind::sum: {
      const PureSum sum = pure_sum(event, relation);
      cost.loss = units_up(sum.epsilon, kLossUnits);
      cost.delta = std::min(kMax, cost.delta + units_up(sum.delta, kDeltaUnits));
      return cost;
    }
    case FilterKind::zcdp: cost.loss = loss_up(zcdp_rho_of(event, relation)); return cost;
    case FilterKind::rdp: cost.loss = loss_up(rdp_of(event, relation, state_.rdp_order)); return cost;
    case FilterKind::gdp: {
      const double mu = gdp_mu_of(event, relation);
      cost.loss = loss_up(mu * mu * (1 + 0x1p-50));
      return cost;
    }
  }
  return {kMax, kMax};
}

Filter::Cost Filter::remaining() const noexcept {
  return {state_.limit.loss - state_.spent.loss, state_.limit.delta - state_.spent.delta};
}

double Filter::remaining_delta() const {
  const std::uint64_t left = remaining().delta;
  double delta = remaining().delta_number();
  while (units_up(exact_of(delta), kDeltaUnits) > left) delta = std::nextafter(delta, 0.0);
  return delta;
}

bool Filter::fits(const Cost& cost) const noexcept {
  const Cost left = remaining();
  return cost.loss <= left.loss && cost.delta <= left.delta;
}

void Filter::spend(const Cost& cost) {
  if (!fits(cost)) {
    throw Error(ErrorKind::budget_exceeded, "the request costs " + text_of(cost) + " of " + currency() + ", but only " +
                                                text_of(remaining()) + " is left");
  }
  state_.spent.loss += cost.loss;
  state_.spent.delta += cost.delta;
}

bool Filter::try_spend(const Event& event, double distance) {
  const Cost cost = cost_of(event, distance);
  if (!fits(cost)) return false;
  spend(cost);
  return true;
}

std::string Filter::currency() const {
  switch (state_.kind) {
    case FilterKind::sum: return "epsilon and delta";
    case FilterKind::zcdp: return "rho (zCDP)";
    case FilterKind::rdp: return "RDP at order " + number_text(state_.rdp_order);
    case FilterKind::gdp: return "mu^2 (GDP)";
  }
  return "";
}

std::string Filter::text_of(const Cost& cost) {
  std::string text = loss_text(cost.loss);
  if (cost.delta > 0) text += ", delta " + delta_text(cost.delta);
  return text;
}

std::string Filter::delta_text(std::uint64_t units) { return decimal_text(units, kDeltaPlaces); }

std::vector<Filter::Fit> Filter::what_fits() const {
  /// The largest parameter whose event still fits, by bisection on the filter's own test.
  const auto largest = [this](auto event, double top) {
    double low = 0, high = top;
    // To the last bit: the largest that fits is a short number where the budget and the costs are.
    for (int i = 0; i < 200; ++i) {
      const double middle = low > 0 && high > 2 * low ? std::sqrt(low * high) : (low + high) / 2;
      if (middle <= low || middle >= high) break;
      (middle > 0 && fits(cost_of(event(middle))) ? low : high) = middle;
    }
    return low;
  };
  const auto gaussian = [](double mu) -> Event { return GaussianEvent{mu}; };
  const auto discrete = [](double rho) -> Event { return DiscreteGaussianEvent{rho}; };
  const auto pure = [](double epsilon) -> Event { return PureEvent{epsilon}; };
  const auto choice = [](double epsilon) -> Event { return ExponentialEvent{epsilon}; };
  std::vector<Fit> fit;
  if (state_.kind != FilterKind::sum) fit.push_back({GaussianEvent::kName, "mu", largest(gaussian, 1e3)});
  if (state_.kind == FilterKind::gdp) return fit;
  if (state_.kind != FilterKind::sum) fit.push_back({DiscreteGaussianEvent::kName, "rho", largest(discrete, 1e3)});
  fit.push_back({PureEvent::kName, "epsilon", largest(pure, 1e4)});
  fit.push_back({ExponentialEvent::kName, "epsilon", largest(choice, 1e4)});
  if (state_.kind == FilterKind::sum) {
    fit.push_back({ApproximateEvent::kName, "delta", remaining_delta()});
  }
  return fit;
}

}  // namespace sotto
