// What: charts of privacy profiles and trade-off curves.
// Formula: f(alpha) = sup over epsilon of max(0, 1 - delta - e^eps alpha, e^-eps (1 - delta - alpha)), where delta
//   of drawn noise at total-variation distance d from its ideal law is delta(eps) + (1 + e^eps) d.
// Conditions: upper bounds of delta at finitely many epsilons make the curve lower, never too high.
// Reference: [Dong22, Proposition 2.12]; spec 5.3 for the distance.
// Fails if wrong: ReportCurves.*
#include "sotto/report/curves.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"

namespace sotto::report {
namespace {

constexpr std::size_t kProfilePoints = 31;

std::vector<double> even_alphas() {
  std::vector<double> alphas;
  // Where the curve is steep the points are close.
  for (const double small : {0.0, 0.001, 0.002, 0.005, 0.01, 0.015}) alphas.push_back(small);
  for (int i = 1; i <= 50; ++i) alphas.push_back(i / 50.0);
  return alphas;
}

}  // namespace

Chart profile_chart(std::span<const ProfilePoint> profile, const std::string& title) {
  require(profile.size() >= 2, "points", "must be at least 2");
  Chart chart{title, {"epsilon"}, {"delta", Scale::log}};
  chart.alt = "Delta against epsilon: the privacy profile, an upper bound.";
  Series series{"delta, at most"};
  for (const ProfilePoint& p : profile) series.points.push_back({p.epsilon, p.delta_upper});
  chart.series = {series};
  return chart;
}

std::vector<TradeOffPoint> trade_off_of(double epsilon, double delta) {
  const ProfilePoint promise{epsilon, 0, delta};
  return trade_off({&promise, 1}, even_alphas());
}

std::vector<TradeOffPoint> trade_off_of(std::span<const ProfilePoint> profile) {
  if (profile.empty()) return {};
  return trade_off(profile, even_alphas());
}

std::vector<ProfilePoint> profile_of(const Plan& plan) {
  try {
    const double distance = planned_cost(plan).distance;
    std::vector<ProfilePoint> profile =
        privacy_profile(event_of(plan.charges), plan.guarantee.relation, 3 * plan.guarantee.epsilon, kProfilePoints);
    for (ProfilePoint& p : profile) p.delta_upper = std::min(1.0, p.delta_upper + (1 + std::exp(p.epsilon)) * distance);
    profile.push_back({plan.guarantee.epsilon, 0, plan.guarantee.delta});
    return profile;
  } catch (const Error&) {
    return {};  // no accountant, or a distance that is not stated
  }
}

Chart trade_off_chart(const std::string& title) {
  Chart chart{title, {"false alarms, alpha"}, {"misses, f(alpha)"}};
  chart.alt =
      "The attacker's two errors: at each rate of false alarms the least rate of misses. Higher is more private; the "
      "diagonal is guessing.";
  chart.series = {{"guessing: no information leaks", true, Mark::line, {{0, 1}, {1, 0}}}};
  return chart;
}

Series trade_off_series(const std::string& name, std::span<const TradeOffPoint> curve) {
  Series series{name};
  for (const TradeOffPoint& p : curve) series.points.push_back({p.alpha, p.beta});
  return series;
}

}  // namespace sotto::report
