#pragma once
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sotto::report {

enum class Scale { linear, log };
constexpr auto enum_names(Scale) {
  return std::array{std::pair{std::string_view("linear"), Scale::linear},
                    std::pair{std::string_view("log"), Scale::log}};
}

/// What one direction of a chart shows.
struct Axis {
  std::string label;
  Scale scale = Scale::linear;
  /// Names of the places 1, 2, ... of an axis that counts things; empty: numbers.
  std::vector<std::string> names{};
};

/// The part of an axis that is drawn.
struct Span {
  double low = 0;
  double high = 1;
  Scale scale = Scale::linear;

  /// Whether a value can be drawn: finite, and above 0 on a logarithmic axis.
  bool takes(double value) const noexcept;
  /// 0 at `low`, 1 at `high`; values outside are moved to the end.
  double share(double value) const noexcept;
};

/// The span of the values that can be drawn, widened so that it is not empty and by `margin` of its length at both
/// ends.
Span span_of(const std::vector<double>& values, Scale scale, double margin);

struct Tick {
  double value = 0;
  std::string text;
};
/// Round values within the span, about `wanted` of them.
std::vector<Tick> ticks(const Span& span, int wanted);

}  // namespace sotto::report
