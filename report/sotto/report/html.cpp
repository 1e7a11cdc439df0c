#include "sotto/report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/base/rounded_text.h"

namespace sotto::report {
namespace {

constexpr int kPageDigits = 4;
constexpr double kCounted = 1e7;  // below it every digit of a number is shown
constexpr double kLargest = 1e15;
constexpr double kNumerics = 1e-12;  // a delta below it is nobody's choice

bool is_digit(char c) { return c >= '0' && c <= '9'; }

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
  if (size >= kLargest || size < 1000) return tidied(fmt::format("{:.4g}", value));
  return grouped(fmt::format("{:.0f}", size < kCounted ? value : std::stod(fmt::format("{:.4g}", value))));
}

std::string short_number_up(double value) {
  if (!std::isfinite(value)) return short_number(value);
  if (value < 1000 || value >= kLargest) return tidied(up_text(value, kPageDigits));
  return grouped(fmt::format("{:.0f}", value < kCounted ? std::ceil(value) : std::stod(up_text(value, kPageDigits))));
}

std::string delta_text(double delta) { return delta < kNumerics ? tidied(up_text(delta, 1)) : short_number_up(delta); }

std::string tidied(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    out += text[at];
    const bool exponent = text[at] == 'e' && at > 0 && at + 2 < text.size() && is_digit(text[at - 1]) &&
                          (text[at + 1] == '-' || text[at + 1] == '+') && is_digit(text[at + 2]);
    if (!exponent) continue;
    if (text[++at] == '-') out += '-';
    while (at + 2 < text.size() && text[at + 1] == '0' && is_digit(text[at + 2])) ++at;
  }
  return out;
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped(std::to_string(number)), number == 1 ? one : many);
}

std::string sentence(std::string text) {
  if (text.empty()) return text;
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text.back() == '.' ? text : text + ".";
}

Facts& Facts::add(std::string_view name, const std::string& value) {
  if (!value.empty()) text_ += fmt::format("<dt>{}</dt><dd>{}</dd>", escaped(name), escaped(value));
  return *this;
}

std::string paragraph(std::string_view text) { return "<p>" + escaped(text) + "</p>"; }
std::string note(std::string_view text) { return R"(<p class="note">)" + escaped(text) + "</p>"; }

std::string meter(double percent, std::string_view words) {
  return fmt::format(R"(<div class="meter" role="img" aria-label="{}"><i style="width:{:.2f}%"></i></div>)",
                     escaped(words), std::clamp(percent, 0.0, 100.0));
}

}  // namespace sotto::report
