#pragma once
#include <span>

#include "sotto/privacy/accountant/filter.h"
#include "sotto/privacy/event.h"

namespace sotto {

/// What a plan says it costs, fixed before a row is read.
struct PlannedCost {
  std::span<const Charge> charges;  ///< everything that is noised
  double epsilon = 0;               ///< what the run promises, numerics included
  double delta = 0;
  double distance = 0;  ///< of all its noise from the ideal laws, in total variation
};

/// How one planned run enters a filter. Its plan is fixed before a row is read, so it may enter as any event that
/// covers it (spec 6.4).
struct Price {
  Event event;
  double distance = 0;  ///< of its noise from the ideal law, in total variation
};

/// sum: the (epsilon, delta) the plan promises, numerics included. The others: the events themselves, and the distance
/// of their noise. Whether the filter has a price for the event shows when it is asked (Filter::cost_of).
Price price_of(const PlannedCost& cost, const Filter& filter);
/// What it costs this filter. Throws Error{unsupported}, saying which filter a ledger would need, if it has no price.
Filter::Cost cost_in(const Filter& filter, const PlannedCost& cost);

/// The largest epsilon of one more request at this delta that fits, a little rounded down; 0 if none does. Pure noise
/// for delta = 0, Gaussian noise otherwise.
double largest_epsilon(const Filter& filter, double delta);

}  // namespace sotto
