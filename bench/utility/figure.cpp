#include "utility/figure.h"

#include <cmath>
#include <map>

#include "sotto/report/chart.h"

namespace sotto::utility {
namespace {

/// The best of a method's settings by epsilon.
using Line = std::map<double, Summary>;

std::map<std::string, Line> lines_of(const Results& results) {
  std::map<std::string, Line> lines;
  for (const Summary& row : results.summaries()) {
    if (std::isinf(row.point.epsilon) || row.point.name.find('(') != std::string::npos) continue;  // of Lee18
    Line& line = lines[row.point.name + (row.point.delta == 0 ? ", pure" : "")];
    const auto found = line.find(row.point.epsilon);
    if (found == line.end() || found->second.mean < row.mean) line[row.point.epsilon] = row;
  }
  return lines;
}

report::Series level(const std::string& name, bool is_private, double value) {
  return {name, is_private, report::Mark::level, {{1, value}}};
}

}  // namespace

std::string figure(const Results& results, const Levels& levels) {
  report::Chart chart{
      results.set() + ": accuracy on test rows, replace_one", {"epsilon", report::Scale::log}, {"accuracy in percent"}};
  chart.alt = "Accuracy against epsilon; bars are standard deviations.";
  for (const auto& [name, line] : lines_of(results)) {
    report::Series series{name};
    for (const auto& [epsilon, row] : line) {
      // Far below the majority nothing is of interest.
      const double low = levels.majority - 0.3 * (levels.not_private - levels.majority);
      if (row.mean >= low) series.points.push_back({epsilon, row.mean, row.sd, row.runs});
    }
    chart.series.push_back(series);
  }
  chart.series.push_back(level("not private", false, levels.not_private));
  chart.series.push_back(level("largest class", true, levels.majority));
  return report::svg_file(chart);
}

}  // namespace sotto::utility
