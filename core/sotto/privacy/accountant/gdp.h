#pragma once
#include <span>

#include "sotto/privacy/event.h"

namespace sotto {

/// A Gaussian release and how often it is made.
struct GaussianCount {
  double mu = 0;
  double count = 1;
};
/// The mu of all of them together, the root of the sum of squares, rounded up; 0 for none.
double joint_mu(std::span<const GaussianCount> all);
/// mu of the dearest world of a plan of Gaussian events only, rounded up; 0 for the empty plan. Throws
/// Error{unsupported} for any other event.
double gdp_mu_of(const Event& event, Relation relation);
/// The smallest epsilon with gaussian_delta(mu, epsilon) <= delta, rounded up; exact up to rounding.
double gdp_epsilon(double mu, double delta);

}  // namespace sotto
