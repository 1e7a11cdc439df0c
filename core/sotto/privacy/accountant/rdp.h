#pragma once
#include <span>

#include "sotto/privacy/event.h"

namespace sotto {

/// The Renyi divergence bound of the plan at one order above 1: the dearest world's, rounded up. Infinite where there
/// is none at this order. Throws Error{unsupported} for events that no order can treat.
double rdp_of(const Event& event, Relation relation, double order);

/// The optimal conversion of one order [Canonne20, Proposition 12].
double rdp_to_epsilon(double order, double rdp, double delta);
double rdp_to_delta(double order, double rdp, double epsilon);

/// The orders that are tried first, from 1.01 to 100000.
std::span<const double> coarse_orders();

struct RdpAnswer {
  double value = 0;  ///< epsilon or delta, rounded up
  double order = 0;  ///< the order that gives it
};
/// The best of the given orders.
RdpAnswer rdp_epsilon(const Event& event, Relation relation, double delta, std::span<const double> orders);
/// The best order found: coarse_orders(), then between the neighbours of the best.
RdpAnswer rdp_epsilon(const Event& event, Relation relation, double delta);
RdpAnswer rdp_delta(const Event& event, Relation relation, double epsilon);

}  // namespace sotto
