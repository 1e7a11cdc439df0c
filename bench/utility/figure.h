#pragma once
#include <string>

#include "utility/results.h"

namespace sotto::utility {

/// Lines that do not depend on epsilon.
struct Levels {
  double not_private = 0;
  double majority = 0;
};

/// Accuracy against epsilon as SVG text: one line a method with its standard deviations, the best of its settings at
/// each epsilon. Pure and approximate guarantees of one method are two lines.
std::string figure(const Results& results, const Levels& levels);

}  // namespace sotto::utility
