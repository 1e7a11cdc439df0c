#include "utility/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace sotto::utility {
namespace {

constexpr double kLeft = 60, kTop = 30, kWide = 560, kHigh = 400, kLegend = 20;
constexpr double kLeast = 0.04, kMost = 5;
constexpr const char* kColours[] = {"#c22", "#27c", "#2a2", "#a5c", "#e80", "#0aa", "#875", "#d5a", "#777", "#560"};

struct Line {
  std::map<double, Summary> at;  ///< by epsilon
};

std::map<std::string, Line> lines_of(const Results& results) {
  std::map<std::string, Line> lines;
  for (const Summary& row : results.summaries()) {
    if (std::isinf(row.point.epsilon) || row.point.name.find('(') != std::string::npos) continue;  // of Lee18
    Line& line = lines[row.point.name + (row.point.delta == 0 ? ", pure" : "")];
    const auto found = line.at.find(row.point.epsilon);
    if (found == line.at.end() || found->second.mean < row.mean) line.at[row.point.epsilon] = row;
  }
  return lines;
}

class Drawing {
 public:
  Drawing(double low, double high) : low_(low), high_(high) {}
  double x(double epsilon) const { return kLeft + kWide * std::log(epsilon / kLeast) / std::log(kMost / kLeast); }
  double y(double value) const { return kTop + kHigh * (high_ - std::clamp(value, low_, high_)) / (high_ - low_); }
  void text(double at_x, double at_y, const std::string& what) {
    body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", at_x, at_y, what);
  }
  void stroke(double x1, double y1, double x2, double y2, const std::string& style) {
    body_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2, style);
  }
  void level(double value, const std::string& name) {
    stroke(kLeft, y(value), kLeft + kWide, y(value), "stroke=\"#888\" stroke-dasharray=\"6 4\"");
    text(kLeft + 4, y(value) - 3, name);
  }
  void line(const Line& line, std::size_t number) {
    const std::string style = fmt::format("stroke=\"{}\" stroke-width=\"{}\" {}", kColours[number % 10],
                                          number == 0 ? 3 : 1.5, number >= 10 ? "stroke-dasharray=\"3 3\"" : "");
    const Summary* before = nullptr;
    for (const auto& [epsilon, row] : line.at) {
      stroke(x(epsilon), y(row.mean - row.sd), x(epsilon), y(row.mean + row.sd), style);
      if (before) stroke(x(before->point.epsilon), y(before->mean), x(epsilon), y(row.mean), style);
      before = &row;
    }
  }
  void legend(const std::string& name, std::size_t number) {
    const double at = kTop + 10 + 18 * static_cast<double>(number);
    stroke(kLeft + kWide + kLegend, at, kLeft + kWide + kLegend + 24, at,
           fmt::format("stroke=\"{}\" stroke-width=\"3\" {}", kColours[number % 10],
                       number >= 10 ? "stroke-dasharray=\"3 3\"" : ""));
    text(kLeft + kWide + kLegend + 30, at + 4, name);
  }
  void axes(const std::string& title) {
    for (const double epsilon : {0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0}) {
      stroke(x(epsilon), kTop, x(epsilon), kTop + kHigh, "stroke=\"#eee\"");
      text(x(epsilon) - 8, kTop + kHigh + 16, fmt::format("{}", epsilon));
    }
    for (int i = 0; i <= 5; ++i) {
      const double value = low_ + (high_ - low_) * i / 5;
      stroke(kLeft, y(value), kLeft + kWide, y(value), "stroke=\"#eee\"");
      text(10, y(value) + 4, fmt::format("{:.1f}", value));
    }
    text(kLeft + kWide / 2 - 20, kTop + kHigh + 34, "epsilon");
    text(kLeft, 18, title);
  }
  std::string svg() const {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" font-family=\"sans-serif\" "
        "font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{}</svg>\n",
        kLeft + kWide + kLegend + 230, kTop + kHigh + 50, body_);
  }

 private:
  double low_, high_;
  std::string body_;
};

}  // namespace

std::string figure(const Results& results, const Levels& levels) {
  const std::map<std::string, Line> lines = lines_of(results);
  double low = std::min(levels.majority, levels.not_private), high = levels.not_private;
  for (const auto& [name, line] : lines) {
    for (const auto& [epsilon, row] : line.at) high = std::max(high, row.mean);
  }
  // Far below the majority nothing is of interest.
  low -= 0.3 * (high - low);
  Drawing drawing(low, high + 0.05 * (high - low));
  drawing.axes(results.set() + ": accuracy in percent on test rows, replace_one; bars are standard deviations");
  drawing.level(levels.not_private, "not private");
  drawing.level(levels.majority, "largest class");
  std::size_t number = 0;
  for (const auto& [name, line] : lines) {
    drawing.line(line, number);
    drawing.legend(name, number++);
  }
  return drawing.svg();
}

}  // namespace sotto::utility
