#pragma once
#include <string>
#include <vector>

#include "utility/results.h"

namespace sotto::utility {

/// What must be reached: the best of other software on the same preprocessing, replace_one, some of it tuned on the
/// rows to test on. Accuracy in percent, or the area under the curve.
struct Bar {
  std::string set;
  double epsilon = 0;
  bool pure = false;
  double least = 0;
  bool by_auc = false;
};
const std::vector<Bar>& bars();

/// One line of the table: what `auto` reaches with the better of its losses, and whether it is the bar. Within the
/// uncertainty of the figure (two standard errors) it is reached too, and said to be so.
std::string bar_line(const Bar& bar, const Summary& found);

/// The lines of all bars of this set whose runs are there.
std::vector<std::string> bar_lines(const Results& results, double delta);

/// What else is promised of `auto`: more epsilon never means less accuracy, epsilon 4 is within a point of the
/// reference, and no tuned grid is more than a point better. One line a breach.
std::vector<std::string> breaches(const Results& results, const std::string& reference);

}  // namespace sotto::utility
