#pragma once
#include <cstdint>

#include "sotto/losses/loss.h"

namespace sotto {

/// The constants of the whole gradient at weights of norm at most `weight_norm`, which are public: never above
/// constants_of(), and well below where the weights are small, since no slope is then near its ends. For methods whose
/// every iterate is released. `data_norm` is that of stored rows; the rounding of margins is covered.
LossConstants constants_at(const Loss& loss, double data_norm, std::uint32_t classes, double weight_norm);

/// An upper bound on sup |s(w.u) u - s(w.v) v| over |u|, |v| <= 1 and |w| = reach, s(a) = 1/(1 + e^a); within about 0.1
/// percent of it.
double logistic_diameter(double reach);

}  // namespace sotto
