#include "sotto/privacy/accountant/release_plan.h"

#include "sotto/base/error.h"

namespace sotto {
namespace {

Event whole(const ReleasePlan& plan, Relation relation) {
  // Squares of smaller shifts leave the range of a double.
  require(plan.noise > 0 && plan.noise <= 1e150, "noise", "must be given, above 0 and at most 1e150");
  const double shift = (relation == Relation::replace_one ? 2 : 1) / plan.noise;
  switch (plan.mechanism) {
    case PlanNoise::gaussian: return GaussianEvent{shift};
    case PlanNoise::laplace: return ScalarLaplaceEvent{shift};
    case PlanNoise::l2_laplace: return L2LaplaceEvent{shift};
    case PlanNoise::discrete_laplace:
      return ScalarDiscreteLaplaceEvent{1 / plan.noise, relation == Relation::replace_one ? 2u : 1u};
    case PlanNoise::discrete_gaussian: return DiscreteGaussianEvent{shift * shift / 2};
  }
  throw Error(ErrorKind::internal, "unknown mechanism");
}

Event poisson(const ReleasePlan& plan) {
  switch (plan.mechanism) {
    case PlanNoise::gaussian: return PoissonSampledEvent{plan.rate, plan.noise};
    case PlanNoise::laplace: return PoissonSampledEvent{plan.rate, plan.noise, NoiseLaw::laplace};
    case PlanNoise::discrete_laplace: return PoissonSampledEvent{plan.rate, plan.noise, NoiseLaw::discrete_laplace};
    case PlanNoise::l2_laplace:
    case PlanNoise::discrete_gaussian: break;
  }
  throw Error(ErrorKind::unsupported, "mechanism: has no formula for sampled rows; use gaussian or laplace",
              "mechanism");
}

Event one(const ReleasePlan& plan, Relation relation) {
  if (plan.sampling == Sampling::none || (plan.sampling == Sampling::poisson && plan.rate == 1)) {
    require(plan.rate == 1, "rate", "is for sampled rows; a shuffled pass gets no amplification");
    return whole(plan, relation);
  }
  if (plan.sampling == Sampling::poisson) return poisson(plan);
  if (plan.mechanism != PlanNoise::gaussian) {
    throw Error(ErrorKind::unsupported, "mechanism: this sampling has a formula for gaussian noise only", "mechanism");
  }
  if (plan.sampling == Sampling::fixed) return FixedSizeSampledEvent{plan.rate, plan.noise};
  return WithReplacementEvent{plan.rate, plan.noise, *plan.draws};
}

/// A rate does not tell how often one row can be drawn, so the number of draws is asked for.
void check_draws(const ReleasePlan& plan) {
  if (plan.sampling != Sampling::with_replacement) {
    require(!plan.draws, "draws", "is for sampling with_replacement only");
    return;
  }
  require(plan.draws.has_value(), "draws",
          "must be given for sampling with_replacement: how many rows a step draws; only 1 has a proof, which is one "
          "row of 1/rate rows");
  if (*plan.draws != 1) {
    throw Error(ErrorKind::unsupported,
                "draws: got " + std::to_string(*plan.draws) +
                    ", only one draw with replacement has a proof: several may take the same row more than once; use "
                    "sampling poisson or fixed",
                "draws");
  }
}

}  // namespace

Event ReleasePlan::event(Relation relation) const {
  require(steps > 0, "steps", "must be at least 1");
  check_draws(*this);
  Event event = one(*this, relation);
  check(event);
  return steps == 1 ? event : repeat(std::move(event), steps);
}

}  // namespace sotto
