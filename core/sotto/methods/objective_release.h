#pragma once
#include <string>
#include <string_view>

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

/// The plan of a method that releases a minimiser with this noise.
Plan objective_plan(std::string_view method, std::string theorem, const ObjectiveNoise& noise, const PlanInput& input);

/// Minimises and releases.
Vector release_objective(const Run& run, const ObjectiveNoise& noise, const CertifiedSum& sum);

}  // namespace sotto
