// What: the trade-off curve of a claim and of games, as SVG.
// Formula: f(a) = max(0, 1 - delta - e^eps a, e^-eps (1 - delta - a)); mu-GDP: Phi(Phi^-1(1 - a) - mu). Empirical:
// shares
//   of misses and false alarms of "statistic >= c" over all c.
// Conditions: the empirical curve has sampling error; verdicts use confidence bounds, not this drawing.
// Reference: [Dong22].
// Fails if wrong: TradeOff.*
#include "sotto/audit/trade_off.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

namespace sotto::audit {
namespace {

constexpr double kSide = 360, kMargin = 48;

std::string point(double alarms, double misses) {
  return fmt::format("{:.1f},{:.1f} ", kMargin + kSide * alarms, kMargin + kSide * (1 - misses));
}

}  // namespace

double TradeOff::promised(double false_alarms) const {
  if (mu > 0) {
    if (false_alarms <= 0 || false_alarms >= 1) return 1 - false_alarms;
    const boost::math::normal_distribution<> normal;
    return cdf(normal, quantile(normal, 1 - false_alarms) - mu);
  }
  return std::max({0.0, 1 - delta - std::exp(epsilon) * false_alarms, std::exp(-epsilon) * (1 - delta - false_alarms)});
}

std::string trade_off_svg(const TradeOff& claim, const Played& played) {
  constexpr int kPoints = 200;
  std::string promised, found;
  std::vector<double> first = played.first, second = played.second;
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  const auto below = [](const std::vector<double>& sorted, double c) {
    return static_cast<double>(std::lower_bound(sorted.begin(), sorted.end(), c) - sorted.begin()) /
           static_cast<double>(sorted.size());
  };
  for (int i = 0; i <= kPoints; ++i) {
    const double share = static_cast<double>(i) / kPoints;
    promised += point(share, claim.promised(share));
    const auto at = static_cast<std::size_t>((1 - share) * static_cast<double>(second.size() - 1));
    found += point(1 - below(second, second[at]), below(first, second[at]));
  }
  const double far = kMargin + kSide;
  std::string svg = fmt::format(
      R"svg(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {0}" font-family="sans-serif" font-size="12">)svg"
      "\n"
      R"svg(<rect width="{0}" height="{0}" fill="white"/><rect x="{1}" y="{1}" width="{2}" height="{2}" fill="none" stroke="#888"/>)svg"
      "\n",
      2 * kMargin + kSide, kMargin, kSide);
  svg += fmt::format(R"svg(<text x="{}" y="24">{}</text>)svg"
                     "\n",
                     kMargin, claim.title);
  svg += fmt::format(R"svg(<text x="{}" y="{}">false alarms</text>)svg"
                     "\n",
                     kMargin + kSide / 2 - 36, far + 28);
  svg += fmt::format(R"svg(<text transform="translate(20,{}) rotate(-90)">misses</text>)svg"
                     "\n",
                     kMargin + kSide / 2 + 20);
  svg += fmt::format(R"svg(<polyline points="{}" fill="none" stroke="#c33" stroke-width="2"/>)svg"
                     "\n",
                     promised);
  svg += fmt::format(R"svg(<polyline points="{}" fill="none" stroke="#226" stroke-width="1.5"/>)svg"
                     "\n",
                     found);
  svg += fmt::format(
      R"svg(<text x="{0}" y="{1}" fill="#c33">promised: nobody gets below</text><text x="{0}" y="{2}" fill="#226">found, {3} games a table</text>)svg",
      far - 170, kMargin + 20, kMargin + 36, played.first.size());
  return svg + "\n</svg>\n";
}

}  // namespace sotto::audit
