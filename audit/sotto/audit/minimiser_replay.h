#pragma once
#include "sotto/audit/neighbours.h"
#include "sotto/audit/transcript.h"
#include "sotto/losses/loss.h"

/// Layer 0 for objective perturbation: what a noted minimiser was charged for, against what it took.
namespace sotto::audit {

/// Gradient of one row's data loss at these weights, computed here and nowhere else in the library.
Vector row_gradient(const Loss& loss, const Facts& facts, const Row& row, const Vector& weights);

/// The gradient of the perturbed sum at what a solver found, over what it certified.
double residual_of(const Transcript::Entry& entry, const Loss& loss, const Table& table);

/// How far apart two points certified alike can be, over the distance the noise of the release was made for.
double certificate_share(const Transcript::Entry& entry);

/// The log-ratio of the determinants of both tables' Hessians at what was found, over what its event has for it: with
/// the pair's own rows, and with the row that is most curved there against an empty one.
double jacobian_share(const Transcript::Entry& entry, const Loss& loss, const Pair& pair);

}  // namespace sotto::audit
