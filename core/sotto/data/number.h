#pragma once
#include <string_view>

namespace sotto {

/// The number a cell spells: decimal or scientific with a point, an optional sign, no blanks. A text that is not
/// exactly one number is a quiet NaN; a magnitude beyond binary64 is an infinity, one below it a zero.
double parse_number(std::string_view text) noexcept;

}  // namespace sotto
