#pragma once
#include <cstdint>

#include "sotto/losses/constants.h"

/// What a noisy contraction costs when only its last iterate leaves [Bok24]. Two runs whose maps satisfy
/// |psi(u) - psi'(v)| <= c |u - v| + s_t for all u, v, both followed by noise N(0, sigma^2 I), are mu-GDP with
/// mu = (1/sigma) min |a| over payments a_t with z_t = c z_{t-1} + s_t - a_t >= 0 and z_T = 0 (docs/notes/descent.md).
namespace sotto {

/// 1 - c of the step w - eta (lambda w + mean gradient), c = max(|1 - eta lambda|, |1 - eta (beta + lambda)|), rounded
/// down. Throws Error{unsupported} unless the step contracts: lambda above 0, a smooth loss, eta < 2/(beta + lambda).
double contraction_gap(double step_size, double lambda, const LossConstants& constants);

/// min |a|^2 for s_t = 1 at every one of `steps` steps: (1 - c^T)/(1 + c^T) (1 + c)/(1 - c), rounded up.
double hidden_factor_full(double gap, std::uint64_t steps);
/// min |a|^2 for s_t = 1 at one of `batches` >= 2 steps of each of `passes` passes, the worst position of it:
/// 1 + c^(2l-2) (1 - c^2)/(1 - c^l)^2 (1 - c^(l(E-1)))/(1 + c^(l(E-1))), rounded up.
double hidden_factor_cyclic(double gap, std::uint64_t batches, std::uint64_t passes);

}  // namespace sotto
