#pragma once
#include <array>
#include <cstddef>
#include <string>

namespace sotto::report {

/// Colours of a chart on one ground. Every one that carries meaning has a contrast of at least 4.5 with `paper`, and
/// none carries it alone: series differ in marker and dash too.
struct Palette {
  const char* paper;
  const char* ink;
  const char* muted;
  const char* grid;
  std::array<const char*, 8> series;
};
extern const Palette kLight;
extern const Palette kDark;

/// The style rules of charts in these colours. Colours are written out, since not every program that shows SVG knows
/// variables.
std::string chart_style(const Palette& palette);

}  // namespace sotto::report
