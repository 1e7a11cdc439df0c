#pragma once
#include <array>
#include <string_view>
#include <utility>

namespace sotto {

/// Whether the first line of a delimited text names the columns. Names are public: they stand in models, schemas and
/// messages. `automatic` takes the line for names too, but refuses one in which any name spells a number, as it is
/// likely a row; `present` is the word of the file's holder and takes numbers for names as well.
enum class HeaderLine { automatic, present, absent };
constexpr auto enum_names(HeaderLine) {
  return std::array{std::pair{std::string_view("auto"), HeaderLine::automatic},
                    std::pair{std::string_view("true"), HeaderLine::present},
                    std::pair{std::string_view("false"), HeaderLine::absent}};
}

}  // namespace sotto
