#pragma once
#include <span>
#include <vector>

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

/// The least a release costs on a ledger: a ten-thousandth of its limit, whatever its events cost. Every request reads
/// the whole chain, so that requests of next to no epsilon would make all others slow and cost next to nothing.
Filter::Cost smallest_price(const Filter& filter) noexcept;
/// What an event costs on a ledger: what the filter says, and at least the smallest price.
Filter::Cost charged_cost(const Filter& filter, const Event& event, double distance);

/// How one planned run enters a filter. Its plan is fixed before a row is read, so it may enter as any event that
/// covers it (spec 6.4).
struct Price {
  Event event;
  double distance = 0;  ///< of its noise from the ideal law, in total variation
};

/// sum: the (epsilon, delta) the plan promises, numerics included. The others: the events themselves, and the distance
/// of their noise. Whether the filter has a price for the event shows when it is asked (Filter::cost_of).
Price price_of(const PlannedCost& cost, const Filter& filter);
/// What it costs a ledger with this filter. Throws Error{unsupported} if it has no price, with the hint other_filter
/// where others have one.
Filter::Cost cost_in(const Filter& filter, const PlannedCost& cost);

/// What one more release could be on a ledger: Filter::what_fits, or zeros where the smallest price does not fit.
std::vector<Filter::Fit> what_fits(const Filter& filter);
/// The largest epsilon of one more request at this delta that fits, a little rounded down; 0 if none does. Pure noise
/// for delta = 0, Gaussian noise otherwise.
double largest_epsilon(const Filter& filter, double delta);

}  // namespace sotto
