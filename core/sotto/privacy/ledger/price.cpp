#include "sotto/privacy/ledger/price.h"

#include "sotto/base/error.h"
#include "sotto/privacy/gaussian.h"

namespace sotto {

Price price_of(const PlannedCost& cost, const Filter& filter) {
  if (filter.kind() == FilterKind::sum) return {ApproximateEvent{cost.epsilon, cost.delta}, 0};
  return {event_of(cost.charges), cost.distance};
}

double largest_epsilon(const Filter& filter, double delta) {
  double mu = 0, pure = 0;
  for (const Filter::Fit& fit : filter.what_fits()) {
    if (fit.event == GaussianEvent::kName) mu = fit.largest;
    if (fit.event == PureEvent::kName) pure = fit.largest;
  }
  constexpr double kDown = 1 - 1e-9;
  if (delta <= 0) return pure * kDown;
  if (filter.kind() == FilterKind::sum)
    return static_cast<double>(filter.remaining().delta) * 1e-18 >= delta ? pure * kDown : 0;
  double low = 0, high = 1e3;
  for (int i = 0; i < 60 && mu > 0; ++i) {
    const double middle = (low + high) / 2;
    // Noise that a smaller mu allows costs less than what fits.
    (gaussian_delta(mu, middle) > delta ? low : high) = middle;
  }
  return low * kDown;
}

}  // namespace sotto
