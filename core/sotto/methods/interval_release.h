#pragma once
#include "sotto/methods/certified_sum.h"

/// The second moments that confidence intervals are made of: a release of its own beside that of the weights, with a
/// declared share of the budget.
namespace sotto {

inline constexpr double kMaxIntervalShare = 0.5;
inline constexpr std::uint32_t kMaxIntervalFeatures = 256;

/// What is left for the weights when the share is set apart; all of it for a share of 0. Throws
/// Error{invalid_argument} unless the share lies between 0 and kMaxIntervalShare.
PlanInput without_share(const PlanInput& input, double share);

/// Adds the release of the moments to a plan whose weights were planned within without_share(): its noise, its charge,
/// its part of the guarantee. `main` has the share and the noise of the weights. Throws Error{unsupported} for anything
/// but two classes and the logistic loss.
void add_intervals(Plan& plan, const PlanInput& input, const CertifiedSum& sum, IntervalPlan main);

}  // namespace sotto
