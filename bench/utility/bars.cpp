#include "utility/bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "utility/contender.h"

namespace sotto::utility {
namespace {

constexpr double kPoint = 1;

std::vector<Summary> of_name(const Results& results, const std::string& name) {
  std::vector<Summary> rows;
  for (const Summary& row : results.summaries()) {
    if (row.point.name == name) rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end(),
            [](const Summary& a, const Summary& b) { return a.point.epsilon < b.point.epsilon; });
  return rows;
}

/// Two standard errors of a difference.
double doubt(const Summary& a, const Summary& b) { return 2 * std::hypot(a.standard_error(), b.standard_error()); }

double value_for(const Bar& bar, const Summary& found) { return bar.by_auc ? found.auc : found.mean; }

void add_falls(std::vector<std::string>& lines, const std::string& set, const std::vector<Summary>& rows) {
  std::map<bool, Summary> best;
  for (const Summary& row : rows) {
    const bool pure = row.point.delta == 0;
    const auto before = best.find(pure);
    if (before != best.end() && row.mean < before->second.mean - doubt(row, before->second)) {
      lines.push_back(fmt::format("{}: auto falls from {:.2f} at epsilon {} to {:.2f} at {}", set, before->second.mean,
                                  before->second.point.epsilon, row.mean, row.point.epsilon));
    }
    if (before == best.end() || row.mean > before->second.mean) best[pure] = row;
  }
}

}  // namespace

const std::vector<Bar>& bars() {
  static const std::vector<Bar> kBars = [] {
    std::vector<Bar> all;
    const char* sets[] = {"adult", "a9a", "kddcup99", "covertype", "mnist0", "mnist10", "occupancy"};
    const double at_tenth[] = {81.5, 82.4, 98.7, 68.7, 97.2, 80.4, 89.9};
    const double at_one[] = {84.3, 84.7, 99.3, 75.2, 98.8, 89.1, 96.4};
    const double pure_one[] = {83.6, 84.0, 98.9, 75.2, 97.3, 62.6, 96.4};
    for (std::size_t i = 0; i < std::size(sets); ++i) {
      all.push_back({sets[i], 0.1, false, at_tenth[i]});
      all.push_back({sets[i], 1, false, at_one[i]});
      all.push_back({sets[i], 1, true, pure_one[i]});
    }
    all.push_back({"bank", 1, false, 0.871, true});
    all.push_back({"banknote", 1, false, 86.5});
    return all;
  }();
  return kBars;
}

std::string bar_line(const Bar& bar, const Summary& found) {
  const double value = value_for(bar, found);
  const double slack = bar.by_auc ? 0.001 : 2 * found.standard_error();
  const char* verdict = value >= bar.least           ? "reached"
                        : value >= bar.least - slack ? "reached within two standard errors"
                                                     : "MISSED";
  return fmt::format("{:<10} {:<5} {:>5}  bar {:>6}  found {:>8.4g} +- {:.2g}, {} runs of {}  {}", bar.set,
                     bar.pure ? "pure" : "delta", bar.epsilon, bar.least, value, found.sd, found.runs, found.point.name,
                     verdict);
}

std::vector<std::string> bar_lines(const Results& results, double delta) {
  std::vector<std::string> lines;
  for (const Bar& bar : bars()) {
    if (bar.set != results.set()) continue;
    Summary best;
    for (const Contender& method : product_methods(true)) {
      const Summary found = results.summary({method.name, method.settings_text(), bar.epsilon, bar.pure ? 0 : delta});
      if (found.runs > 0 && (best.runs == 0 || value_for(bar, found) > value_for(bar, best))) best = found;
    }
    if (best.runs > 0) lines.push_back(bar_line(bar, best));
  }
  return lines;
}

std::vector<std::string> breaches(const Results& results, const std::string& reference) {
  std::vector<std::string> lines;
  const std::vector<Summary> rows = of_name(results, "auto");
  add_falls(lines, results.set(), rows);
  const std::vector<Summary> exact = of_name(results, reference);
  for (const Summary& row : rows) {
    if (row.point.epsilon == 4 && row.point.delta > 0 && !exact.empty() &&
        row.mean < exact.front().mean - kPoint - doubt(row, exact.front())) {
      lines.push_back(fmt::format("{}: auto has {:.2f} at epsilon 4, not private {:.2f}", results.set(), row.mean,
                                  exact.front().mean));
    }
    for (const Summary& other : results.summaries()) {
      // The loss is asked for, not chosen: solvers are compared under the same one.
      if (other.point.settings.find("loss=") != std::string::npos) continue;
      const bool same = other.point.epsilon == row.point.epsilon && other.point.delta == row.point.delta;
      if (same && other.mean > row.mean + kPoint + doubt(row, other)) {
        lines.push_back(fmt::format("{}: at epsilon {} (delta {:.2g}) {} [{}] has {:.2f}, auto {:.2f}", results.set(),
                                    row.point.epsilon, row.point.delta, other.point.name, other.point.settings,
                                    other.mean, row.mean));
      }
    }
  }
  return lines;
}

}  // namespace sotto::utility
