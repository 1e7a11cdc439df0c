#pragma once
#include "sotto/privacy/event.h"

namespace sotto {

/// The Renyi divergence bound at `order` of the best of a random number of runs; infinite where the theorem needs more
/// than the run promises.
double selection_rdp(const SelectionEvent& event, Relation relation, double order);

/// gamma of the truncated negative binomial law of this mean and shape, rounded down.
double negative_binomial_gamma(const NegativeBinomialRuns& runs);

}  // namespace sotto
