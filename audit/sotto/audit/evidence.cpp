// What: lower bounds on the privacy loss from counts.
// Formula: P_low, Q_high by Clopper-Pearson at alpha/4 each; epsilon >= ln((P_low - delta) / Q_high) over the event,
//   its complement and both orders of the tables; mu >= Phi^-1(P_low) - Phi^-1(Q_high).
// Conditions: games are independent and the event was fixed before they were played.
// Reference: [Clopper34]; [Jagielski20] for epsilon, [Nasr23] for mu.
// Fails if wrong: Evidence.* (coverage by simulation, closed forms)
#include "sotto/audit/evidence.h"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

namespace sotto::audit {
namespace {

struct Interval {
  double low, high;
  Interval complement() const { return {1 - high, 1 - low}; }
};

Interval interval(double hits, double games, double alpha) {
  return {share_lower(hits, games, alpha), share_upper(hits, games, alpha)};
}

double log_ratio(const Interval& often, const Interval& seldom, double delta) {
  const double told = often.low - delta;
  return told <= 0 ? 0.0 : std::log(told / seldom.high);
}

double probit(double p) {
  static const boost::math::normal_distribution<> kNormal;
  return boost::math::quantile(kNormal, std::clamp(p, 1e-300, 1 - 1e-16));
}

}  // namespace

double share_lower(double hits, double games, double alpha) {
  return hits <= 0 ? 0.0 : quantile(boost::math::beta_distribution<>(hits, games - hits + 1), alpha);
}

double share_upper(double hits, double games, double alpha) {
  return hits >= games ? 1.0 : quantile(boost::math::beta_distribution<>(hits + 1, games - hits), 1 - alpha);
}

double epsilon_lower(const Tally& tally, double delta, double alpha) {
  const Interval p = interval(tally.on_first, tally.games, alpha / 4);
  const Interval q = interval(tally.on_second, tally.games, alpha / 4);
  return std::max({0.0, log_ratio(p, q, delta), log_ratio(q, p, delta),
                   log_ratio(p.complement(), q.complement(), delta), log_ratio(q.complement(), p.complement(), delta)});
}

double mu_lower(const Tally& tally, double alpha) {
  const Interval p = interval(tally.on_first, tally.games, alpha / 4);
  const Interval q = interval(tally.on_second, tally.games, alpha / 4);
  const auto apart = [](const Interval& often, const Interval& seldom) {
    return often.low <= 0 || seldom.high >= 1 ? 0.0 : probit(often.low) - probit(seldom.high);
  };
  return std::max({0.0, apart(p, q), apart(q, p)});
}

}  // namespace sotto::audit
