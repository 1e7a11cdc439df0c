#include "sotto/base/fields.h"

#include <cmath>

namespace sotto {

double parse_number(std::string_view text, std::string_view field_name) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(code == std::errc{} && end == text.data() + text.size() && std::isfinite(value), field_name,
          "got '" + std::string(text) + "', must be a number");
  return value + 0.0;  // 0 for -0, which is no other number to anyone who gives or reads it
}

std::uint64_t parse_count(std::string_view text, std::string_view field_name, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(code == std::errc{} && end == text.data() + text.size() && value <= most, field_name,
          "got '" + std::string(text) + "', must be a whole number from 0 to " + std::to_string(most));
  return value;
}

std::string number_text(double value) {
  char buffer[32];
  const auto [end, code] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return code == std::errc{} ? std::string(buffer, end) : std::string();
}

}  // namespace sotto
