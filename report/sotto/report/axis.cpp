#include "sotto/report/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/report/html.h"

namespace sotto::report {
namespace {

std::string superscript(int number) {
  static constexpr std::array kDigits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : std::to_string(number)) text += c == '-' ? "⁻" : kDigits.at(static_cast<std::size_t>(c - '0'));
  return text;
}

/// 1 to 9 times a power of ten.
std::string log_text(int digit, int power) {
  if (power >= -3 && power <= 4) return short_number(digit * std::pow(10.0, power));
  return digit == 1 ? "10" + superscript(power) : fmt::format("{}·10{}", digit, superscript(power));
}

/// 1, 2, 2.5 or 5 times a power of ten, at least `least`.
double round_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::vector<Tick> linear_ticks(const Span& span, int wanted) {
  std::vector<Tick> all;
  const double step = round_step((span.high - span.low) / wanted);
  const auto first = static_cast<long long>(std::ceil(span.low / step - 1e-9));
  for (long long i = first; static_cast<double>(i) * step <= span.high + 1e-9 * step; ++i) {
    const double value = static_cast<double>(i) * step;
    // The step's own digits: values near 0 are not to show the rounding of a sum.
    all.push_back({value, short_number(std::round(value / step * 1e6) / 1e6 * step)});
  }
  return all;
}

std::vector<Tick> log_ticks(const Span& span, int wanted) {
  const double decades = std::log10(span.high / span.low);
  if (decades < 0.7) return linear_ticks(span, wanted);
  std::vector<int> digits{1};
  if (decades < 1.5) {
    digits = {1, 2, 3, 5, 7};
  } else if (decades < 2.6) {
    digits = {1, 2, 5};
  }
  const int every = std::max(1, static_cast<int>(std::ceil(decades / wanted)));
  std::vector<Tick> all;
  for (int power = static_cast<int>(std::floor(std::log10(span.low))); power <= std::log10(span.high) + 1e-9; ++power) {
    if (power % every != 0) continue;
    for (const int digit : digits) {
      const double value = digit * std::pow(10.0, power);
      const bool inside = value >= span.low * (1 - 1e-9) && value <= span.high * (1 + 1e-9);
      if (inside) all.push_back({value, log_text(digit, power)});
    }
  }
  return all;
}

}  // namespace

bool Span::takes(double value) const noexcept { return std::isfinite(value) && (scale == Scale::linear || value > 0); }

double Span::share(double value) const noexcept {
  if (scale == Scale::linear) return std::clamp((value - low) / (high - low), 0.0, 1.0);
  if (!(value > low)) return 0;
  return std::min(1.0, std::log(value / low) / std::log(high / low));
}

Span span_of(const std::vector<double>& values, Scale scale, double margin) {
  Span span{HUGE_VAL, -HUGE_VAL, scale};
  for (const double value : values) {
    if (!span.takes(value)) continue;
    span.low = std::min(span.low, value);
    span.high = std::max(span.high, value);
  }
  if (span.low > span.high) span = {scale == Scale::log ? 0.1 : 0.0, 1, scale};
  if (scale == Scale::log) {
    if (span.high < span.low * 1.5) span = {span.low / 2, span.high * 2, scale};
    const double wider = std::pow(span.high / span.low, margin);
    return {span.low / wider, span.high * wider, scale};
  }
  if (span.high - span.low <= 1e-9 * std::max(std::fabs(span.low), std::fabs(span.high))) {
    const double half = span.low == 0 ? 0.5 : 0.1 * std::fabs(span.low);
    span = {span.low - half, span.high + half, scale};
  }
  const double wider = margin * (span.high - span.low);
  return {span.low - wider, span.high + wider, scale};
}

std::vector<Tick> ticks(const Span& span, int wanted) {
  return span.scale == Scale::log ? log_ticks(span, wanted) : linear_ticks(span, wanted);
}

}  // namespace sotto::report
