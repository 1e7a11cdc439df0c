#include "sotto/report/html.h"

#include <fmt/format.h>

#include <cmath>

#include "sotto/base/rounded_text.h"

namespace sotto::report {
namespace {

constexpr int kPageDigits = 4;

std::string grouped(std::string digits) {
  const std::size_t end = std::min(digits.find('.'), digits.size());
  const std::size_t start = digits[0] == '-' ? 1 : 0;
  for (std::size_t at = end; at > start + 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      case '\'': safe += "&#39;"; break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') safe += c;
    }
  }
  return safe;
}

std::string short_number(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "none" : value > 0 ? "∞" : "−∞";
  const double size = std::fabs(value);
  if (size > 0 && (size < 1e-4 || size >= 1e7)) return fmt::format("{:.4g}", value);
  if (size >= 1000) return grouped(fmt::format("{:.0f}", value));
  return fmt::format("{:.4g}", value);
}

std::string short_number_up(double value) {
  if (!std::isfinite(value) || value < 1000 || value >= 1e7) {
    return std::isfinite(value) ? up_text(value, kPageDigits) : short_number(value);
  }
  return grouped(fmt::format("{:.0f}", std::ceil(value)));
}

}  // namespace sotto::report
