#include "sotto/data/number.h"

#include <charconv>
#include <limits>

namespace sotto {

double parse_number(std::string_view text) noexcept {
  constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return kNotANumber;
  }
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (stop != end || status == std::errc::invalid_argument) return kNotANumber;
  if (status == std::errc::result_out_of_range) {
    // from_chars tells neither which side was left nor a value; the sign of the exponent does.
    const bool tiny = text.find("e-") != text.npos || text.find("E-") != text.npos;
    if (tiny) return 0.0;
    return text.starts_with('-') ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  }
  return value;
}

}  // namespace sotto
