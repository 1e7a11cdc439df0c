#pragma once
#include <string>

#include "sotto/audit/game.h"

namespace sotto::audit {

/// A drawing of the trade-off between the attacker's two errors: the curve the claim allows nobody to get below, and
/// the one the games found.
struct TradeOff {
  std::string title;
  double epsilon = 0, delta = 0;
  double mu = 0;  ///< above 0: the claim is mu of Gaussian differential privacy
  /// The least share of misses that the claim allows at this share of false alarms.
  double promised(double false_alarms) const;
};
std::string trade_off_svg(const TradeOff& claim, const Played& played);

}  // namespace sotto::audit
