#pragma once
#include "sotto/losses/traits.h"

namespace sotto {

/// An upper bound on sup |s(w.u) u - s(w.v) v| over |u|, |v| <= 1 and |w| = reach, s(a) = 1/(1 + e^a); within about 0.1
/// percent of it.
double logistic_diameter(double reach);

/// gradient_at() of the logistic and of the softmax loss. The rounding of margins is covered.
GradientReach logistic_gradient_at(const WeightReach& weights);
GradientReach softmax_gradient_at(const WeightReach& weights);

}  // namespace sotto
