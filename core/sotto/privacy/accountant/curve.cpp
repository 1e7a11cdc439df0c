// What: the privacy profile and the trade-off curve as data, and their files.
// Formula: f(alpha) = sup over epsilon of max(0, 1 - delta - e^eps alpha, e^-eps (1 - delta - alpha)).
// Conditions: the profile's upper bounds; fewer points make the curve lower, never too high.
// Reference: [Dong22, Proposition 2.12].
// Fails if wrong: AccountantCurve.*
#include "sotto/privacy/accountant/curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/privacy/accountant/report.h"

namespace sotto {

std::vector<ProfilePoint> privacy_profile(const Event& event, Relation relation, double most, std::size_t points) {
  require(points >= 2, "points", "must be at least 2");
  require(most > 0 && most <= 1e6, "epsilon", "must be above 0");
  std::vector<ProfilePoint> profile;
  for (std::size_t i = 0; i < points; ++i) {
    const double epsilon = most * static_cast<double>(i) / static_cast<double>(points - 1);
    const Bound delta = account_delta(event, relation, epsilon).value;
    profile.push_back({epsilon, delta.lower, delta.upper});
  }
  return profile;
}

std::vector<TradeOffPoint> trade_off(std::span<const ProfilePoint> profile, std::span<const double> alphas) {
  std::vector<TradeOffPoint> curve;
  for (const double alpha : alphas) {
    double beta = 0;
    for (const ProfilePoint& p : profile) {
      beta = std::max(
          {beta, 1 - p.delta_upper - std::exp(p.epsilon) * alpha, std::exp(-p.epsilon) * (1 - p.delta_upper - alpha)});
    }
    curve.push_back({alpha, beta});
  }
  return curve;
}

std::string profile_csv(std::span<const ProfilePoint> profile) {
  std::string text = "epsilon,delta_lower,delta_upper\n";
  for (const ProfilePoint& p : profile) {
    text += number_text(p.epsilon) + "," + number_text(p.delta_lower) + "," + number_text(p.delta_upper) + "\n";
  }
  return text;
}

namespace {

constexpr double kWidth = 640, kHeight = 420, kLeft = 70, kRight = 20, kTop = 40, kBottom = 50;

/// From data to the picture: epsilon to the right, log10 delta upwards.
struct Axes {
  double most_epsilon, least_log;
  double x(double epsilon) const { return kLeft + epsilon / most_epsilon * (kWidth - kLeft - kRight); }
  double y(double delta) const {
    const double log = std::max(least_log, std::log10(std::max(delta, 1e-320)));
    return kTop + log / least_log * (kHeight - kTop - kBottom);
  }
};

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<')
      safe += "&lt;";
    else if (c == '&')
      safe += "&amp;";
    else
      safe += c;
  }
  return safe;
}

std::string grid_lines(const Axes& axes) {
  std::string text;
  const int step = std::max(1, static_cast<int>(std::ceil(-axes.least_log / 8)));
  for (int power = 0; power >= axes.least_log; power -= step) {
    const double y = axes.y(std::pow(10.0, power));
    text +=
        fmt::format("<line x1='{}' x2='{}' y1='{:.1f}' y2='{:.1f}' stroke='#ddd'/>\n", kLeft, kWidth - kRight, y, y);
    text += fmt::format("<text x='{}' y='{:.1f}' text-anchor='end'>1e{}</text>\n", kLeft - 6, y + 4, power);
  }
  for (int i = 0; i <= 5; ++i) {
    const double epsilon = axes.most_epsilon * i / 5, x = axes.x(epsilon);
    text +=
        fmt::format("<text x='{:.1f}' y='{}' text-anchor='middle'>{:.3g}</text>\n", x, kHeight - kBottom + 18, epsilon);
  }
  return text;
}

}  // namespace

std::string profile_svg(std::span<const ProfilePoint> profile, const std::string& title) {
  require(profile.size() >= 2, "points", "must be at least 2");
  double least = 1;
  for (const ProfilePoint& p : profile) {
    if (p.delta_upper > 1e-300) least = std::min(least, p.delta_upper);
  }
  const Axes axes{profile.back().epsilon, std::min(-1.0, std::floor(std::log10(least)))};
  std::string text = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' "
      "viewBox='0 0 {0} {1}' font-family='sans-serif' font-size='12'>\n",
      kWidth, kHeight);
  text += "<rect width='100%' height='100%' fill='white'/>\n" + grid_lines(axes);
  text += fmt::format("<text x='{}' y='22' font-size='14'>{}</text>\n", kLeft, escaped(title));
  text += fmt::format("<text x='{}' y='{}' text-anchor='middle'>epsilon</text>\n", kWidth / 2, kHeight - 12);
  text += fmt::format("<text x='16' y='{0}' transform='rotate(-90 16 {0})' text-anchor='middle'>delta</text>\n",
                      kHeight / 2);
  text += "<polyline fill='none' stroke='#1f5fa8' stroke-width='2' points='";
  for (const ProfilePoint& p : profile) text += fmt::format("{:.2f},{:.2f} ", axes.x(p.epsilon), axes.y(p.delta_upper));
  return text + "'/>\n</svg>\n";
}

}  // namespace sotto
