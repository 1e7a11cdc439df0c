#pragma once
#include <span>
#include <string>
#include <vector>

#include "sotto/privacy/event.h"

namespace sotto {

/// One point of the privacy profile delta(epsilon).
struct ProfilePoint {
  double epsilon = 0;
  double delta_lower = 0;
  double delta_upper = 0;
};
/// One point of the trade-off curve: whoever tells neighbours apart with false-positive rate alpha has a false-negative
/// rate of at least beta.
struct TradeOffPoint {
  double alpha = 0;
  double beta = 0;
};

/// The profile at `points` even epsilons from 0 to `most`.
std::vector<ProfilePoint> privacy_profile(const Event& event, Relation relation, double most, std::size_t points);
/// The trade-off curve that a profile guarantees, at the given alphas.
std::vector<TradeOffPoint> trade_off(std::span<const ProfilePoint> profile, std::span<const double> alphas);

std::string profile_csv(std::span<const ProfilePoint> profile);

}  // namespace sotto
