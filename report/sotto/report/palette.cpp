#include "sotto/report/palette.h"

#include <fmt/format.h>

namespace sotto::report {

const Palette kLight{
    "#ffffff",
    "#17191d",
    "#5b6068",
    "#e4e4e0",
    {"#0b5fa5", "#b8430b", "#0a7556", "#86398c", "#85600a", "#4a4f57", "#0a7488", "#b01150"},
};
const Palette kDark{
    "#1c2027",
    "#eceef1",
    "#a3aab5",
    "#343a45",
    {"#6db3f2", "#ff9d66", "#4ecba0", "#d9a0e3", "#e3bd55", "#c9ced6", "#57cbe0", "#ff8da8"},
};

std::string chart_style(const Palette& palette) {
  std::string style = fmt::format(
      ".chart text{{fill:{0};font:12px system-ui,sans-serif}}.chart .name{{fill:{1}}}"
      ".chart .grid{{stroke:{2}}}.chart .axis{{stroke:{0};fill:none}}"
      ".line,.bar{{fill:none;stroke:currentColor;stroke-width:2;stroke-linejoin:round}}.bar{{stroke-width:1.2}}"
      ".band{{fill:currentColor;opacity:.14}}.mark{{fill:currentColor;stroke:currentColor;stroke-width:1.5}}"
      ".open .mark{{fill:{3}}}\n",
      palette.muted, palette.ink, palette.grid, palette.paper);
  for (std::size_t i = 0; i < palette.series.size(); ++i)
    style += fmt::format(".c{}{{color:{}}}", i, palette.series[i]);
  return style + "\n";
}

}  // namespace sotto::report
