#include "sotto/report/marker.h"

#include <fmt/format.h>

#include <array>

#include "sotto/report/palette.h"

namespace sotto::report {
namespace {

/// Closed outlines around the origin, of equal weight to the eye.
constexpr std::array kShapes{
    "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z",
    "m-3.1 -3.1h6.2v6.2h-6.2z",
    "m0 -4.3l4.1 7.2h-8.2z",
    "m0 -4.6l4.2 4.6l-4.2 4.6l-4.2 -4.6z",
    "m0 4.3l4.1 -7.2h-8.2z",
    "m0 -4.6l1.3 3.3h3.3l-2.5 2.2l1 3.6l-3.1 -2.1l-3.1 2.1l1 -3.6l-2.5 -2.2h3.3z",
    "m-1.4 -4.2h2.8v2.8h2.8v2.8h-2.8v2.8h-2.8v-2.8h-2.8v-2.8h2.8z",
};
constexpr std::array kDashes{"", "9 4", "12 3 3 3", "5 3", "14 4", "9 3 3 3 3 3", ""};
constexpr const char* kDotted = "1.5 4";

}  // namespace

std::string colour_class(std::size_t number) { return fmt::format("c{}", number % kLight.series.size()); }

std::string series_classes(const Series& series, std::size_t number) {
  return "series " + colour_class(number) + (series.is_private ? "" : " open");
}

std::string dash_of(const Series& series, std::size_t number) {
  const std::string dash = series.is_private ? kDashes.at(number % kDashes.size()) : kDotted;
  if (dash.empty()) return "";
  return fmt::format(R"( stroke-dasharray="{}"{})", dash, series.is_private ? "" : R"( stroke-linecap="round")");
}

std::string marker_at(std::size_t number, const Place& place) {
  return fmt::format(R"(<path class="mark" d="M{:.1f} {:.1f}{}"/>)", place.x, place.y,
                     kShapes.at(number % kShapes.size()));
}

std::string svg_swatch(const Series& series, std::size_t number) {
  std::string drawing = fmt::format(R"(<g class="{}">)", series_classes(series, number));
  if (series.mark != Mark::points)
    drawing += fmt::format(R"(<path class="line" d="M1 7H33"{}/>)", dash_of(series, number));
  if (series.mark != Mark::level) drawing += marker_at(number, {17, 7});
  return drawing + "</g>";
}

}  // namespace sotto::report
