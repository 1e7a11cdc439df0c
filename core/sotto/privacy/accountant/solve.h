#pragma once
#include "sotto/privacy/accountant/release_plan.h"
#include "sotto/privacy/accountant/report.h"

/// From a target back to one parameter of a plan, always on the private side: with what is returned account_delta at
/// the target's epsilon is at most its delta and account_epsilon at its delta is at most its epsilon. The parameter's
/// value in `plan` or in `target` is ignored.
namespace sotto {

struct Target {
  double epsilon = 0;
  double delta = 0;
  Relation relation = Relation::replace_one;
};

/// The smallest noise (up to 0.03 percent, as a rule) that keeps the target.
double noise_for(ReleasePlan plan, const Target& target, AccountantChoice only = AccountantChoice::automatic);
/// The largest number of steps. Throws Error{invalid_argument} if one step is too much.
std::uint64_t steps_for(ReleasePlan plan, const Target& target, AccountantChoice only = AccountantChoice::automatic);
/// The largest sampling rate (down to 1e-9), up to 0.03 percent.
double rate_for(ReleasePlan plan, const Target& target, AccountantChoice only = AccountantChoice::automatic);
/// The smallest epsilon at the target's delta, or delta at its epsilon.
double epsilon_for(const ReleasePlan& plan, const Target& target, AccountantChoice only = AccountantChoice::automatic);
double delta_for(const ReleasePlan& plan, const Target& target, AccountantChoice only = AccountantChoice::automatic);

}  // namespace sotto
