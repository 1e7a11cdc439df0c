// What: noise for sums over Poisson batches.
// Formula: C' = C + 2 rounding + g sqrt d bounds what one row moves a computed sum on the grid; sigma = s C', s the
//   smallest noise with delta(epsilon) <= delta - delta_num over T steps. advanced: a step is (e', q delta_G(D/s; e)),
//   e' = ln(1 + q (exp e - 1)), D = 1 or 2 by relation; T of them cost e' sqrt(2 T ln(2/delta)) + T e' (exp e' - 1) and
//   delta/2 + T q delta_G.
// Conditions: spec 6.2: independent rows at a public rate, divisor nominal, empty batches noised too.
// Reference: [Zhu22], [Mironov19], [Balle20] for the amplified step, [Dwork14, Theorem 3.20], [Abadi16].
// Fails if wrong: SampledGaussian.*, Dpsgd.*
#include "sotto/privacy/sampled_gaussian.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/privacy/accountant/gdp.h"
#include "sotto/privacy/accountant/solve.h"
#include "sotto/privacy/joint_gaussian.h"
#include "sotto/random/grid_noise.h"

namespace sotto {
namespace {

constexpr double kUp = 1 + 0x1p-48;
constexpr double kMaxNoise = 1e8;

double advanced_noise(const SampledShape& shape, const Budget& target) {
  const auto excess = [&](double log_noise) {
    return advanced_epsilon({shape.rate, std::exp(log_noise)}, shape.steps, target) - target.epsilon;
  };
  double low = std::log(1e-2), high = std::log(kMaxNoise);
  require(excess(high) <= 0, "epsilon", "no noise up to 1e8 keeps this budget");
  if (excess(low) <= 0) return std::exp(low);
  while (high - low > 1e-5) {
    const double middle = (low + high) / 2;
    (excess(middle) <= 0 ? high : low) = middle;
  }
  return std::exp(high);
}

/// The smallest noise, relative to one row's norm, that keeps the target.
double solve_noise(const SampledShape& shape, const Budget& target, SampledAccounting accounting) {
  const auto found = [&](AccountantChoice by) {
    const ReleasePlan releases{PlanNoise::gaussian, Sampling::poisson, shape.rate, 0, shape.steps};
    return noise_for(releases, {target.epsilon, target.delta, target.relation}, by);
  };
  switch (accounting) {
    case SampledAccounting::pld: return found(AccountantChoice::pld);
    case SampledAccounting::rdp: return found(AccountantChoice::rdp);
    case SampledAccounting::advanced: return advanced_noise(shape, target);
  }
  throw Error(ErrorKind::internal, "unknown accounting");
}

SampledCalibrated make(const SampledShape& shape, const NumericalCost& cost, double relative_noise) {
  GaussianNoise noise;
  noise.sensitivity = shape.bound + 2 * shape.rounding;
  noise.dimension = shape.dimension;
  noise.grid = make_grid(noise.sensitivity, shape.dimension);
  // The event names 1/mu as its noise; what is drawn is not smaller than what is named.
  noise.mu = 1 / relative_noise;
  require(noise.stddev() / noise.grid.step <= kMaxStddev, "epsilon",
          "the noise would be too large for its grid; raise epsilon or delta");
  return {{noise, cost.epsilon, 0, cost.delta, cost.distance}, shape.rate, shape.steps};
}

NumericalCost cost_of(const SampledShape& shape, const Budget& budget) {
  require(budget.delta > 0, "delta", "must be above 0: this plan adds Gaussian noise");
  const double each = grid_noise_distance(shape.dimension) + shape.distance;
  return numerical_cost(each * static_cast<double>(shape.steps), budget);
}

}  // namespace

double advanced_epsilon(const PoissonSampledEvent& step, std::uint64_t steps, const Budget& budget) {
  const double shift = budget.relation == Relation::replace_one ? 2 : 1, count = static_cast<double>(steps);
  const double half = budget.delta / 2;
  const double each_delta = std::min(0.49, half / (count * step.rate));
  const double plain = gdp_epsilon(shift / step.noise, each_delta);
  const double amplified = plain > 600 ? plain + std::log(step.rate) : std::log1p(step.rate * std::expm1(plain));
  return (amplified * std::sqrt(2 * count * std::log(1 / half)) + count * amplified * std::expm1(amplified)) * kUp;
}

SampledCalibrated calibrate_sampled(const SampledShape& shape, const Budget& budget, SampledAccounting accounting) {
  budget.check();
  const NumericalCost cost = cost_of(shape, budget);
  const Budget target{cost.epsilon, (budget.delta - cost.delta) * (1 - 0x1p-48), budget.relation};
  SampledCalibrated result = make(shape, cost, solve_noise(shape, target, accounting) * kUp);
  result.planned.delta = budget.delta;
  return result;
}

SampledCalibrated account_sampled(const SampledShape& shape, const Budget& budget, double stddev) {
  const NumericalCost cost = cost_of(shape, budget);
  SampledCalibrated result = make(shape, cost, 1);
  result = make(shape, cost, stddev / result.law().noise.grid.sensitivity);
  const Charge charges[] = {result.charge()};
  const double delta = budget.delta - cost.delta;
  result.planned.epsilon =
      account_epsilon(event_of(charges), budget.relation, delta, AccountantChoice::pld).value.upper;
  result.planned.delta = budget.delta;
  if (result.planned.epsilon > cost.epsilon) {  // the numerical delta was priced at the smaller one
    result.planned.delta_num = (1 + std::exp(result.planned.epsilon)) * cost.distance * kUp;
    result.planned.delta = delta + result.planned.delta_num;
  }
  return result;
}

}  // namespace sotto
