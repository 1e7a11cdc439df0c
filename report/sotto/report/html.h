#pragma once
#include <string>
#include <string_view>

namespace sotto::report {

/// Text as it may stand in an element or in a quoted attribute of HTML or SVG. Control characters are left out.
std::string escaped(std::string_view text);

/// A number for a reader: four significant digits, thousands separated, no exponent where it can be avoided.
std::string short_number(double value);
/// The same for a cost or a guarantee: at least 0, and never less than the value once it is read.
std::string short_number_up(double value);

}  // namespace sotto::report
