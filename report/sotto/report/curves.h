#pragma once
#include <span>
#include <string>
#include <vector>

#include "sotto/privacy/accountant/curve.h"
#include "sotto/report/chart.h"
#include "sotto/report/replan.h"

/// Charts of what a guarantee means.
namespace sotto::report {

/// delta(epsilon) on a logarithmic delta axis.
Chart profile_chart(std::span<const ProfilePoint> profile, const std::string& title);

/// The trade-off curve of (epsilon, delta) alone.
std::vector<TradeOffPoint> trade_off_of(double epsilon, double delta);
/// The privacy profile of the plan's own noise, its promise included; empty if no accountant treats the plan. The
/// distance of the noise drawn from its ideal law is in it.
std::vector<ProfilePoint> profile_of(const Plan& plan);
/// The curve of a profile, which is above that of the promise in it; empty for an empty one.
std::vector<TradeOffPoint> trade_off_of(std::span<const ProfilePoint> profile);

/// The empty chart of the attacker's two errors, with the line of who guesses.
Chart trade_off_chart(const std::string& title);
Series trade_off_series(const std::string& name, std::span<const TradeOffPoint> curve);

}  // namespace sotto::report
