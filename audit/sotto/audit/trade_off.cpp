// What: the trade-off curve of a claim and of games, as SVG.
// Formula: f(a) = max(0, 1 - delta - e^eps a, e^-eps (1 - delta - a)); mu-GDP: Phi(Phi^-1(1 - a) - mu). Empirical:
//   shares of misses and false alarms of "statistic >= c" over all c.
// Conditions: the empirical curve has sampling error; verdicts use confidence bounds, not this drawing.
// Reference: [Dong22].
// Fails if wrong: TradeOff.*
#include "sotto/audit/trade_off.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "sotto/report/curves.h"

namespace sotto::audit {

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
  report::Series promised{"promised: nobody gets below"};
  report::Series found{fmt::format("found, {} games a table", played.first.size())};
  std::vector<double> first = played.first, second = played.second;
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  const auto below = [](const std::vector<double>& sorted, double c) {
    return static_cast<double>(std::lower_bound(sorted.begin(), sorted.end(), c) - sorted.begin()) /
           static_cast<double>(sorted.size());
  };
  for (int i = 0; i <= kPoints; ++i) {
    const double share = static_cast<double>(i) / kPoints;
    promised.points.push_back({share, claim.promised(share)});
    const auto at = static_cast<std::size_t>((1 - share) * static_cast<double>(second.size() - 1));
    found.points.push_back({1 - below(second, second[at]), below(first, second[at])});
  }
  report::Chart chart = report::trade_off_chart(claim.title);
  chart.series.push_back(promised);
  chart.series.push_back(found);
  return report::svg_file(chart);
}

}  // namespace sotto::audit
