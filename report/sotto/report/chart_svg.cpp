#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/report/chart.h"
#include "sotto/report/html.h"
#include "sotto/report/marker.h"
#include "sotto/report/palette.h"

namespace sotto::report {
namespace {

constexpr double kTop = 12, kRight = 14, kBottom = 44;
constexpr double kLetter = 6.8;       // a digit of the 12 px font
constexpr double kLegendLine = 20;    // a line of a file's legend
constexpr double kTitleHeight = 30;   // of a file
constexpr std::size_t kCrowded = 24;  // more points than this get few markers and a band for their deviations
constexpr std::size_t kFewMarkers = 8;

struct Size {
  double width = 420;
  double height = 290;
};
constexpr Size kCompact{340, 260};

std::size_t letters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// At most `most` letters of a name; a longer one ends in a mark.
std::string shortened(const std::string& text, std::size_t most) {
  if (letters(text) <= most) return text;
  std::size_t kept = 0, at = 0;
  while (at < text.size() && kept + 1 < most) {
    ++at;
    while (at < text.size() && (text[at] & 0xC0) == 0x80) ++at;
    ++kept;
  }
  return text.substr(0, at) + "…";
}

std::vector<double> xs_of(const Chart& chart) {
  std::vector<double> all;
  for (const Series& series : chart.series) {
    if (series.mark == Mark::level) continue;
    for (const Point& p : series.points) all.push_back(p.x);
  }
  return all;
}

std::vector<double> ys_of(const Chart& chart) {
  std::vector<double> all;
  for (const Series& series : chart.series) {
    for (const Point& p : series.points) {
      all.push_back(p.y);
      all.push_back(p.y + p.sd);
      // A deviation as large as its mean would pull a logarithmic axis down to nothing.
      all.push_back(chart.y.scale == Scale::log ? std::max(p.y - p.sd, p.y / 3) : p.y - p.sd);
    }
  }
  return all;
}

class Drawing {
 public:
  explicit Drawing(const Chart& chart, const Size& size = {})
      : chart_(chart),
        size_(size),
        x_(chart.x.names.empty() ? span_of(xs_of(chart), chart.x.scale, 0.03)
                                 : Span{0.4, static_cast<double>(chart.x.names.size()) + 0.6}),
        y_(span_of(ys_of(chart), chart.y.scale, 0.05)),
        y_ticks_(ticks(y_, 5)) {
    std::size_t widest = 1;
    for (const Tick& tick : y_ticks_) widest = std::max(widest, letters(tick.text));
    left_ = 30 + kLetter * static_cast<double>(widest);
    std::size_t longest = 0;
    for (const std::string& name : chart.x.names) longest = std::max(longest, letters(shortened(name, kNameLetters)));
    tilted_ = static_cast<double>(longest * chart.x.names.size()) * kLetter > size_.width - left_ - kRight - 30;
    if (tilted_) bottom_ += 4.6 * static_cast<double>(longest);
  }

  std::string body() const {
    std::string text = grid();
    for (std::size_t i = 0; i < chart_.series.size(); ++i) text += one(chart_.series[i], i);
    return text +
           fmt::format(R"(<line class="guide axis" y1="{}" y2="{:.1f}" visibility="hidden"/>)", kTop, low_edge());
  }
  /// What a script needs to find the x under a pointer.
  std::string attributes() const {
    return fmt::format(R"(data-x="{},{},{},{:.1f},{:.1f}")", x_.low, x_.high, x_.scale == Scale::log ? "log" : "linear",
                       left_, size_.width - kRight);
  }

 private:
  static constexpr std::size_t kNameLetters = 16;

  double low_edge() const { return size_.height - bottom_; }
  double at_x(double value) const { return left_ + x_.share(value) * (size_.width - left_ - kRight); }
  double at_y(double value) const { return low_edge() - y_.share(value) * (low_edge() - kTop); }
  bool shows(const Point& p) const { return x_.takes(p.x) && y_.takes(p.y); }

  std::string grid() const {
    std::string text;
    for (const Tick& tick : y_ticks_) {
      const double y = at_y(tick.value);
      const bool zero = tick.value == 0 && y_.low < 0;
      text += fmt::format(R"(<path class="{}" d="M{:.1f} {:.1f}H{}"/>)", zero ? "axis" : "grid", left_, y,
                          size_.width - kRight);
      text += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)", left_ - 7, y + 4,
                          escaped(tick.text));
    }
    text += chart_.x.names.empty() ? number_ticks() : name_ticks();
    text += fmt::format(R"(<path class="axis" d="M{0:.1f} {1}V{2:.1f}H{3}"/>)", left_, kTop, low_edge(),
                        size_.width - kRight);
    text += fmt::format(R"(<text class="name" x="{:.1f}" y="{}" text-anchor="middle">{}</text>)",
                        (left_ + size_.width - kRight) / 2, size_.height - 6, escaped(chart_.x.label));
    const double middle = (kTop + low_edge()) / 2;
    return text +
           fmt::format(
               R"svg(<text class="name" text-anchor="middle" transform="translate(13 {:.1f}) rotate(-90)">{}</text>)svg",
               middle, escaped(chart_.y.label));
  }
  std::string number_ticks() const {
    std::string text;
    double free = -1e9;
    for (const Tick& tick : ticks(x_, 6)) {
      const double x = at_x(tick.value), half = kLetter * static_cast<double>(letters(tick.text)) / 2;
      text += fmt::format(R"(<path class="grid" d="M{:.1f} {}V{:.1f}"/>)", x, kTop, low_edge());
      if (x - half < free) continue;
      text += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)", x, low_edge() + 16,
                          escaped(tick.text));
      free = x + half + 6;
    }
    return text;
  }
  std::string name_ticks() const {
    std::string text;
    for (std::size_t i = 0; i < chart_.x.names.size(); ++i) {
      const double x = at_x(static_cast<double>(i + 1)), y = low_edge() + 15;
      const std::string name = escaped(shortened(chart_.x.names[i], kNameLetters));
      text += tilted_
                  ? fmt::format(
                        R"svg(<text text-anchor="end" transform="translate({:.1f} {:.1f}) rotate(-40)">{}</text>)svg",
                        x + 4, y - 2, name)
                  : fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)", x, y, name);
    }
    return text;
  }

  std::string one(const Series& series, std::size_t number) const {
    std::string text = fmt::format(R"(<g class="{}">)", series_classes(series, number));
    if (series.mark == Mark::level) {
      if (!series.points.empty() && y_.takes(series.points[0].y)) {
        text += fmt::format(R"(<path class="line" d="M{:.1f} {:.1f}H{}"{}/>)", left_, at_y(series.points[0].y),
                            size_.width - kRight, dash_of(series, number));
      }
      return text + "</g>";
    }
    const bool crowded = series.points.size() > kCrowded;
    text += crowded ? band(series) : bars(series);
    if (series.mark == Mark::line) {
      text += fmt::format(R"(<path class="line" d="{}"{}/>)", way(series), dash_of(series, number));
    }
    return text + markers(series, number) + "</g>";
  }
  std::string way(const Series& series) const {
    std::string text;
    bool pen_down = false;
    for (const Point& p : series.points) {
      if (shows(p)) text += fmt::format("{}{:.1f} {:.1f}", pen_down ? 'L' : 'M', at_x(p.x), at_y(p.y));
      pen_down = shows(p);
    }
    return text;
  }
  std::string bars(const Series& series) const {
    std::string way;
    for (const Point& p : series.points) {
      if (!shows(p) || !(p.sd > 0)) continue;
      const double x = at_x(p.x), top = at_y(p.y + p.sd), low = at_y(p.y - p.sd);
      way += fmt::format("M{:.1f} {:.1f}h6m-3 0V{:.1f}m-3 0h6", x - 3, top, low);
    }
    return way.empty() ? "" : fmt::format(R"(<path class="bar" d="{}"/>)", way);
  }
  std::string band(const Series& series) const {
    std::string there, back;
    bool any = false;
    for (const Point& p : series.points) {
      if (!shows(p)) continue;
      any = any || p.sd > 0;
      const double x = at_x(p.x);
      there += fmt::format("{}{:.1f} {:.1f}", there.empty() ? 'M' : 'L', x, at_y(p.y + p.sd));
      back.insert(0, fmt::format("L{:.1f} {:.1f}", x, at_y(p.y - p.sd)));
    }
    return any ? fmt::format(R"(<path class="band" d="{}{}Z"/>)", there, back) : "";
  }
  std::string markers(const Series& series, std::size_t number) const {
    std::string text;
    const std::size_t count = series.points.size();
    const bool all = count <= kCrowded || series.mark == Mark::points;
    const std::size_t every = all ? 1 : count / kFewMarkers;
    // Lines that run together have their markers at different places.
    for (std::size_t i = all ? 0 : (number * every / 5) % every; i < count; i += every) {
      const Point& p = series.points[i];
      if (shows(p)) text += marker_at(number, {at_x(p.x), at_y(p.y)});
    }
    return text;
  }

  const Chart& chart_;
  Size size_;
  Span x_, y_;
  std::vector<Tick> y_ticks_;
  double left_ = 60;
  double bottom_ = kBottom;
  bool tilted_ = false;
};

std::string file_legend(const Chart& chart) {
  std::string text;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const double y = kTitleHeight + Size{}.height + 6 + kLegendLine * static_cast<double>(i);
    const Series& series = chart.series[i];
    text += fmt::format(R"svg(<g transform="translate(40 {})">{}<text class="name" x="44" y="11">{}{}</text></g>)svg",
                        y, svg_swatch(series, i), escaped(series.name), series.is_private ? "" : " (not private)");
  }
  return text;
}

}  // namespace

std::string svg_inline(const Chart& chart, bool compact) {
  const Size size = compact ? kCompact : Size{};
  const Drawing drawing(chart, size);
  return fmt::format(R"(<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}" {}>{}</svg>)", size.width,
                     size.height, escaped(chart.alt.empty() ? chart.title : chart.alt), drawing.attributes(),
                     drawing.body());
}

std::string svg_file(const Chart& chart) {
  const Size size;
  const double height = kTitleHeight + size.height + 12 + kLegendLine * static_cast<double>(chart.series.size());
  std::string text = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 {0} {1}" width="{2}" height="{3}" role="img">)"
      "\n<title>{4}</title>\n<desc>{5}</desc>\n<style>{6}</style>\n"
      R"(<rect width="{0}" height="{1}" fill="{7}"/><text class="name" x="14" y="20">{4}</text>)"
      "\n",
      size.width, height, 2 * size.width, 2 * height, escaped(chart.title), escaped(chart.alt), chart_style(kLight),
      kLight.paper);
  text += fmt::format(R"svg(<g transform="translate(0 {})">{}</g>)svg", kTitleHeight, Drawing(chart).body());
  return text + file_legend(chart) + "\n</svg>\n";
}

}  // namespace sotto::report
