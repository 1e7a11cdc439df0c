#pragma once
#include <string>

#include "sotto/report/chart.h"

namespace sotto::report {

/// The numbers of a chart as an HTML table, a row an x and a column a series. The page's script reads it to show values
/// under the pointer, and it is what a reader without sight or script has. A long one is thinned to 120 rows.
std::string values_table(const Chart& chart);

/// The legend of these series, as an HTML list.
std::string legend(const std::vector<Series>& series);

}  // namespace sotto::report
