#pragma once
#include <string>

#include "sotto/methods/certified_sum.h"
#include "sotto/privacy/objective_noise.h"

/// What all forms of objective perturbation share.
namespace sotto {

/// The corners and the Jacobian of spec 7.7 for this loss and relation, with `curvature` in place of m lambda. Throws
/// Error{unsupported} for losses without a proof.
ObjectiveShape objective_shape(const PlanInput& input, double curvature);

/// The noise with the tolerance that makes the noise of the release nearly free, or the one asked for.
ObjectiveNoise with_certificate(const ObjectiveNoise& noise, const PlanInput& input, const CertifiedSum& sum,
                                double asked_tolerance);

/// Fills in a plan that was started: a minimiser is released with this noise.
void plan_objective(Plan& plan, std::string theorem, const ObjectiveNoise& noise, const PlanInput& input);

}  // namespace sotto
