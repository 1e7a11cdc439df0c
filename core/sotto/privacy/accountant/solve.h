#pragma once
#include "sotto/privacy/accountant/release_plan.h"
#include "sotto/privacy/accountant/report.h"

/// From a target back to one parameter of a plan, always on the private side: what is returned was checked against the
/// certified upper bound. The parameter's value in `plan` is ignored.
namespace sotto {

struct Target {
  double epsilon = 0;
  double delta = 0;
  Relation relation = Relation::replace_one;
};

/// The smallest noise (up to 0.01 percent) that keeps the target.
double noise_for(ReleasePlan plan, const Target& target, AccountantChoice only = AccountantChoice::automatic);
/// The largest number of steps. Throws Error{invalid_argument} if one step is too much.
std::uint64_t steps_for(ReleasePlan plan, const Target& target, AccountantChoice only = AccountantChoice::automatic);
/// The largest sampling rate (down to 1e-9), up to 0.01 percent.
double rate_for(ReleasePlan plan, const Target& target, AccountantChoice only = AccountantChoice::automatic);

}  // namespace sotto
