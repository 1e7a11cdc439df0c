#pragma once
#include <optional>

#include "sotto/methods/dpgd.h"
#include "sotto/optim/secret_descent.h"
#include "sotto/privacy/joint_gaussian.h"

/// The numbers of a plan of dpgd.
namespace sotto {

DescentShape dpgd_shape(const Dpgd& options, const PlanInput& input);

/// The noise of one sum when every sum may leave.
Calibrated dpgd_composition(const Dpgd& options, const DescentShape& shape, const PlanInput& input);

/// The least share of the sensitivity of a sum, at any weights, that is in proportion to D; the rest is rounding.
/// A row is clipped before it is weighted, so clipped gradients have such a share too.
double dpgd_weighted_share(const PlannedNoise& noise, const DescentShape& shape, const PlanInput& input);

/// The noise of one step when the last weights alone leave, and the radius that bounds them.
struct HiddenPlan {
  JointCalibrated noise{};
  DescentStep step{};
  double contraction = 0;
  double rounding = 0;  ///< of one computed step, the grid excepted
  double hit = 0;       ///< the part of the sensitivity that is in proportion to D
};
/// Throws Error{unsupported} where the theorem does not apply, naming the field.
HiddenPlan dpgd_hidden(const Dpgd& options, const DescentShape& shape, const PlanInput& input);

/// The bound of this plan: as asked, or the one with less noise. Empty: composition.
std::optional<HiddenPlan> dpgd_chosen(const Dpgd& options, const DescentShape& shape, const PlanInput& input);

}  // namespace sotto
