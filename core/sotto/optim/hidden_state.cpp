// What: the contraction of a gradient step and the privacy of a run that shows its last iterate only.
// Formula: with a = -ln c: full tanh(T a/2)/tanh(a/2); cyclic 1 + c^(2l-2) (1-c^2)/(1-c^l)^2 tanh(l (E-1) a/2).
// Conditions: constant step and noise, noise before the projection, public start, no iterate but the last leaves.
// Reference: [Bok24].
// Fails if wrong: HiddenState.* (against the greatest convex minorant that solves the payments exactly),
//   Dpgd.TheHiddenStateClaimIsTheTruthOnAQuadratic.
#include "sotto/optim/hidden_state.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"

namespace sotto {
namespace {

constexpr double kUp = 1 + 1e-12;

double log_rate(double gap) { return -std::log1p(-gap); }

}  // namespace

double contraction_gap(double step_size, double lambda, const LossConstants& constants) {
  if (!constants.smooth()) {
    throw Error(ErrorKind::unsupported, "loss: the hidden-state bound needs a smooth loss; use composition", "loss");
  }
  if (!(lambda > 0)) {
    throw Error(ErrorKind::unsupported, "lambda: the hidden-state bound needs lambda above 0", "lambda");
  }
  // 1 - eta lambda is the larger eigenvalue, 1 - eta (beta + lambda) the smaller; both lie above -1.
  const double gap = std::min(step_size * lambda, 2 - step_size * (constants.smoothness + lambda)) * (1 - 0x1p-40);
  if (!(gap > 0)) {
    throw Error(ErrorKind::unsupported,
                "step_size: the hidden-state bound needs a step below 2/(beta + lambda), so that steps contract",
                "step_size");
  }
  return std::min(gap, 1.0);
}

double hidden_factor_full(double gap, std::uint64_t steps) {
  if (gap >= 1 || steps <= 1) return kUp;
  const double a = log_rate(gap);
  const double factor = std::tanh(static_cast<double>(steps) * a / 2) / std::tanh(a / 2);
  return std::min(factor, static_cast<double>(steps)) * kUp;
}

double hidden_factor_cyclic(double gap, std::uint64_t batches, std::uint64_t passes) {
  if (gap >= 1 || passes <= 1) return kUp;
  const double a = log_rate(gap), l = static_cast<double>(batches), later = static_cast<double>(passes - 1);
  const double a_pass = std::expm1(-a * l);
  const double share = std::exp(-2 * a * (l - 1)) * -std::expm1(-2 * a) / (a_pass * a_pass);
  return (1 + share * std::tanh(l * later * a / 2)) * kUp;
}

}  // namespace sotto
