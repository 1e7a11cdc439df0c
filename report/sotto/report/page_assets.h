#pragma once
#include <string_view>

/// The files in report/assets, as the build found them.
namespace sotto::report {

/// The colours of a light and of a dark screen.
extern const std::string_view kLightStyle;
extern const std::string_view kDarkStyle;
/// The rest of the style sheet of every page.
extern const std::string_view kPageStyle;
/// Shows the values at an x, under the pointer or by the arrow keys. It reads the table that stands below the chart.
extern const std::string_view kPageScript;

}  // namespace sotto::report
