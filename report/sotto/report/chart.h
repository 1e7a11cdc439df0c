#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sotto/report/axis.h"

/// The one writer of charts: pages, `account --profile`, `audit --svg` and the benchmarks draw with it.
namespace sotto::report {

struct Point {
  double x = 0;
  double y = 0;  ///< not finite: none was measured, the line is cut there
  double sd = 0;
  std::uint64_t runs = 0;  ///< 0: not stated
};

/// line: joined points. points: not joined. level: a line across the chart at the first point's y.
enum class Mark { line, points, level };

struct Series {
  std::string name;
  bool is_private = true;  ///< false: open markers on a dotted line, and the legend says so
  Mark mark = Mark::line;
  std::vector<Point> points{};
};

struct Chart {
  std::string title;
  Axis x;
  Axis y;
  std::vector<Series> series{};
  std::string alt{};  ///< what is to be seen, for who cannot see it
};

/// An image file of its own, in light colours, with its title and legend.
std::string svg_file(const Chart& chart);

/// The drawing alone, for a page that has title, legend and chart_style (palette.h). A compact one is for three or more
/// in a row: its letters are larger beside its lines.
std::string svg_inline(const Chart& chart, bool compact = false);
/// The sign of series number `number`, as a drawing of 34 x 14.
std::string svg_swatch(const Series& series, std::size_t number);
/// The colour class of a series.
std::string colour_class(std::size_t number);

}  // namespace sotto::report
