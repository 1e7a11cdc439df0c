#pragma once
#include <cstdio>
#include <string>
#include <string_view>

namespace sotto::cli {

/// Whether text for people has colours there: on a terminal, unless NO_COLOR is set or the terminal is dumb. With
/// CLICOLOR_FORCE also elsewhere.
bool coloured(std::FILE* where);

std::string bold(std::string_view text);
std::string red(std::string_view text);
/// Bold headings, which are the lines that indented ones follow, and what must not be overlooked in red.
std::string painted(std::string_view text);

}  // namespace sotto::cli
