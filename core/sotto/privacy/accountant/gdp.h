#pragma once
#include "sotto/privacy/event.h"

namespace sotto {

/// mu of the dearest world of a plan of Gaussian events only, rounded up; 0 for the empty plan. Throws
/// Error{unsupported} for any other event.
double gdp_mu_of(const Event& event, Relation relation);
/// The smallest epsilon with gaussian_delta(mu, epsilon) <= delta, rounded up; exact up to rounding.
double gdp_epsilon(double mu, double delta);

}  // namespace sotto
