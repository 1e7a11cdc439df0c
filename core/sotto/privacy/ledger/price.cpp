#include "sotto/privacy/ledger/price.h"

#include <algorithm>
#include <string>

#include "sotto/base/error.h"
#include "sotto/privacy/gaussian.h"

namespace sotto {

Price price_of(const PlannedCost& cost, const Filter& filter) {
  if (filter.kind() == FilterKind::sum) return {ApproximateEvent{cost.epsilon, cost.delta}, 0};
  return {event_of(cost.charges), cost.distance};
}

Filter::Cost smallest_price(const Filter& filter) noexcept {
  constexpr std::uint64_t kMaxReleases = 10'000;
  return {(filter.limit().loss + kMaxReleases - 1) / kMaxReleases, 0};
}

Filter::Cost charged_cost(const Filter& filter, const Event& event, double distance) {
  Filter::Cost cost = filter.cost_of(event, distance);
  cost.loss = std::max(cost.loss, smallest_price(filter).loss);
  return cost;
}

std::vector<Filter::Fit> what_fits(const Filter& filter) {
  std::vector<Filter::Fit> fits = filter.what_fits();
  if (filter.fits(smallest_price(filter))) return fits;
  for (Filter::Fit& fit : fits) fit.largest = 0;
  return fits;
}

namespace {

/// The kinds of filter, over the same budget and unspent, that take the run.
std::vector<std::string> takers(const Filter& filter, const PlannedCost& cost) {
  std::vector<std::string> kinds;
  for (const auto& [name, kind] : enum_names(FilterKind{})) {
    if (kind == filter.kind()) continue;
    try {
      const Filter other = Filter::open(kind, filter.budget());
      const Price price = price_of(cost, other);
      if (!other.fits(charged_cost(other, price.event, price.distance))) continue;
    } catch (const Error&) {
      continue;  // it has no price there either, or no filter of this kind has this budget
    }
    kinds.emplace_back(name);
  }
  return kinds;
}

}  // namespace

Filter::Cost cost_in(const Filter& filter, const PlannedCost& cost) {
  const Price price = price_of(cost, filter);
  try {
    return charged_cost(filter, price.event, price.distance);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unsupported) throw;
    const std::vector<std::string> kinds = takers(filter, cost);
    const std::string why = "ledger: " + std::string(error.what());
    if (kinds.empty()) {
      throw Error(ErrorKind::unsupported, why + "; no filter takes it under this budget", "ledger");
    }
    std::string names;
    for (const std::string& kind : kinds) names += (names.empty() ? "" : " or ") + kind;
    throw Error(
        ErrorKind::unsupported,
        why + "; a ledger of this budget with filter " + names + " takes it (the filter of a ledger never changes)",
        "ledger", {HintKind::other_filter, kinds});
  }
}

double largest_epsilon(const Filter& filter, double delta) {
  double mu = 0, pure = 0;
  for (const Filter::Fit& fit : what_fits(filter)) {
    if (fit.event == GaussianEvent::kName) mu = fit.largest;
    if (fit.event == PureEvent::kName) pure = fit.largest;
  }
  // Under `sum` a run costs the epsilon it asks for, nothing is converted.
  if (filter.kind() == FilterKind::sum) return filter.remaining_delta() >= delta ? pure : 0;
  constexpr double kDown = 1 - 1e-9;
  if (delta <= 0) return pure * kDown;
  double low = 0, high = 1e3;
  for (int i = 0; i < 60 && mu > 0; ++i) {
    const double middle = (low + high) / 2;
    // Noise that a smaller mu allows costs less than what fits.
    (gaussian_delta(mu, middle) > delta ? low : high) = middle;
  }
  return low * kDown;
}

}  // namespace sotto
