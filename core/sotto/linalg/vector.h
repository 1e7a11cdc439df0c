#pragma once
#include <vector>

namespace sotto {

/// Weights, gradients and sums: always binary64 (spec 5.4).
using Vector = std::vector<double>;

}  // namespace sotto
