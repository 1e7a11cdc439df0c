// What: the privacy profile and the trade-off curve as data.
// Formula: f(alpha) = sup over epsilon of max(0, 1 - delta - e^eps alpha, e^-eps (1 - delta - alpha)).
// Conditions: the profile's upper bounds; fewer points make the curve lower, never too high.
// Reference: [Dong22, Proposition 2.12].
// Fails if wrong: AccountantCurve.*
#include "sotto/privacy/accountant/curve.h"

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

}  // namespace sotto
