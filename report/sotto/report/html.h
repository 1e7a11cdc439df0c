#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace sotto::report {

/// Text as it may stand in an element or in a quoted attribute of HTML or SVG. Control characters are left out.
std::string escaped(std::string_view text);

/// A number for a reader: four significant digits, thousands separated, no exponent where it can be avoided. A small one
/// is spelled 1e-7.
std::string short_number(double value);
/// The same for a cost or a guarantee: at least 0, and never less than the value once it is read.
std::string short_number_up(double value);
/// A delta, never less than it is: of one that is only that of numerics a single digit.
std::string delta_text(double delta);
/// Text of a program in people's spelling: 1e-7 for 1e-07.
std::string tidied(std::string_view text);
/// "1 row", "2,000 rows".
std::string counted(std::uint64_t number, std::string_view one, std::string_view many);
/// As a sentence: a capital at its beginning, a full stop at its end.
std::string sentence(std::string text);

/// Names and values, as a definition list. A value that is empty is left out.
class Facts {
 public:
  Facts& add(std::string_view name, const std::string& value);
  std::string html() const { return "<dl>" + text_ + "</dl>"; }

 private:
  std::string text_;
};
/// A paragraph of plain text.
std::string paragraph(std::string_view text);
std::string note(std::string_view text);  ///< the same, with a red edge
/// A bar that is full to so many percent; `words` are for whoever cannot see it.
std::string meter(double percent, std::string_view words);

}  // namespace sotto::report
