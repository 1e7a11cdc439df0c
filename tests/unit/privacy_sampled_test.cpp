// Sampled sums: the noise recomputes to the budget, and the curator hands out neither coins nor sums that were not
// charged.
#include <gtest/gtest.h>

#include <cmath>

#include "refusals.h"
#include "sotto/base/error.h"
#include "sotto/privacy/accountant/pld.h"
#include "sotto/privacy/accountant/rdp.h"
#include "sotto/privacy/curator.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/privacy/poisson_coins.h"

namespace sotto {
namespace {

constexpr std::size_t kDimension = 3;
SampledShape shape_of(double rate, std::uint64_t steps) { return {1, 0, rate, steps, kDimension, 0}; }

TEST(SampledGaussian, NoiseRecomputesToTheBudgetByEveryAccounting) {
  for (const Relation relation : {Relation::replace_one, Relation::add_remove}) {
    const Budget budget{.epsilon = 1, .delta = 1e-6, .relation = relation};
    double before = 0;
    for (const SampledAccounting by : {SampledAccounting::pld, SampledAccounting::rdp, SampledAccounting::advanced}) {
      if (by == SampledAccounting::rdp && relation == Relation::replace_one) continue;  // slow
      const SampledCalibrated c = calibrate_sampled(shape_of(0.01, 300), budget, by);
      const Charge charges[] = {c.charge()};
      const Bound delta = pld_delta(event_of(charges), relation, 1);
      EXPECT_LE(delta.upper, 1e-6);
      if (by == SampledAccounting::pld) {
        EXPECT_GE(delta.lower, 0.97e-6) << "more noise than the budget asks for";
      }
      if (by == SampledAccounting::rdp) {
        EXPECT_LE(rdp_delta(event_of(charges), relation, 1).value, 1e-6);
      }
      EXPECT_GE(c.law().noise.stddev(), before) << "pld, rdp, advanced: each is looser than the one before";
      before = c.law().noise.stddev();
      EXPECT_EQ(c.charge().draws(), 300U);
    }
  }
}

// q = 0.01, noise 1, 1000 steps, delta 1e-5, add_remove: 1.828 is the published figure (N:A3).
TEST(SampledGaussian, ThePublishedFigureOfTheAccountantFollows) {
  const Budget budget{.epsilon = 1.9, .delta = 1e-5, .relation = Relation::add_remove};
  const SampledShape shape = shape_of(0.01, 1000);
  const double per_unit = account_sampled(shape, budget, 1).law().noise.grid.sensitivity;
  EXPECT_NEAR(account_sampled(shape, budget, per_unit).planned.epsilon, 1.828, 0.003);
}

// N:A3: m = 60000, b = 50, k = 10, replace_one, delta = 1/m^2: noise 9.60 for epsilon 0.1 and 1.104 for epsilon 1.
TEST(SampledGaussian, ThePublishedNoiseForReplaceOneFollows) {
  const Budget budget{.epsilon = 1, .delta = 1 / (60000.0 * 60000.0)};
  const SampledShape shape = shape_of(exact_rate(50.0 / 60000), 12000);
  const double unit = account_sampled(shape, budget, 2).law().noise.grid.sensitivity;
  EXPECT_NEAR(account_sampled(shape, budget, 1.104 * unit).planned.epsilon, 1, 0.01);
  EXPECT_NEAR(account_sampled(shape, budget, 9.60 * unit).planned.epsilon, 0.1, 0.001);
}

TEST(SampledGaussian, AdvancedCompositionIsTheFormulaOfTheBook) {
  const Budget budget{.epsilon = 1, .delta = 1e-6, .relation = Relation::add_remove};
  const double claimed = advanced_epsilon({0.01, 4}, 100, budget);
  // The plain step's epsilon by bisection on its exact profile.
  double low = 0, high = 20;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (gaussian_delta(0.25, middle) > 0.5e-6 / (100 * 0.01) ? low : high) = middle;
  }
  const double e = std::log(1 + 0.01 * (std::exp(high) - 1));
  EXPECT_NEAR(claimed, std::sqrt(2 * 100 * std::log(2e6)) * e + 100 * e * (std::exp(e) - 1), 1e-6 * claimed);
}

class SampledCurator : public testing::Test {
 protected:
  Sensitive<Vector> secret(std::size_t size = kDimension) { return Sensitive<Vector>(Vector(size, 3.0)); }

  SampledCalibrated noise_ = calibrate_sampled(shape_of(0.1, 2), {.epsilon = 1, .delta = 1e-6}, SampledAccounting::pld);
  BitSource bits_{ReproducibleSeed{1}};
  Curator curator_{bits_};
};

TEST_F(SampledCurator, DrawsBatchesOnlyForChargedStepsOfTheSameRateAndNoise) {
  EXPECT_REFUSED(budget_exceeded, "", curator_.draw_batch(noise_.law(), 100));
  curator_.charge(noise_.charge());
  SampledGaussian other = noise_.law();
  other.rate = 0.2;
  EXPECT_REFUSED(budget_exceeded, "", curator_.draw_batch(other, 100));
  other = noise_.law();
  other.noise.mu *= 2;
  EXPECT_REFUSED(budget_exceeded, "", curator_.draw_batch(other, 100));
  curator_.draw_batch(noise_.law(), 100);
  curator_.draw_batch(noise_.law(), 100);
  EXPECT_REFUSED(budget_exceeded, "", curator_.draw_batch(noise_.law(), 100));
  EXPECT_REFUSED(budget_exceeded, "", curator_.release(secret(), Mechanism(noise_.law().noise)))
      << "a sampled charge pays for no sum over all rows";
}

TEST(SampledGaussian, LawAndCostFollowANoiseThatIsChanged) {
  SampledCalibrated c = calibrate_sampled(shape_of(0.01, 3), {.epsilon = 1, .delta = 1e-6}, SampledAccounting::pld);
  auto& noise = std::get<GaussianNoise>(c.planned.mechanism);
  noise.mu *= 2;
  EXPECT_EQ(c.law().noise.mu, noise.mu);
  EXPECT_EQ(c.charge().event, Event(PoissonSampledEvent{0.01, 1 / noise.mu}));
  JointCalibrated joint = calibrate_joint({1, 2, 3, 5}, {.epsilon = 1, .delta = 1e-6});
  std::get<GaussianNoise>(joint.planned.mechanism).mu *= 2;
  EXPECT_EQ(joint.charge().event, joint.law().event());
  EXPECT_EQ(joint.charge().draws(), 1U);
}

TEST_F(SampledCurator, NoisesOneSumABatch) {
  curator_.charge(noise_.charge());
  PoissonBatch batch = curator_.draw_batch(noise_.law(), 100);
  EXPECT_REFUSED(internal, "", curator_.release(secret(kDimension + 1), std::move(batch)));
  const Vector released = curator_.release(secret(), std::move(batch));
  EXPECT_NE(released, Vector(kDimension, 3.0));
  const double step = noise_.law().noise.grid.step;
  for (const double value : released) EXPECT_EQ(value / step, std::rint(value / step));
  // NOLINTNEXTLINE(bugprone-use-after-move): what is left behind must be harmless
  EXPECT_REFUSED(internal, "", curator_.release(secret(), std::move(batch)));

  PoissonBatch second = curator_.draw_batch(noise_.law(), 100);
  BitSource other_bits(ReproducibleSeed{2});
  Curator other(other_bits);
  EXPECT_REFUSED(internal, "", other.release(secret(), std::move(second)));
  PoissonBatch moved = std::move(second);
  // NOLINTNEXTLINE(bugprone-use-after-move)
  EXPECT_REFUSED(internal, "", curator_.release(secret(), std::move(second)));
}

TEST_F(SampledCurator, HandsOutJointNoiseForOneChargeAndAsManyVectorsAsThePlanHas) {
  const JointCalibrated joint = calibrate_joint({1, 2, kDimension, 5}, {.epsilon = 1, .delta = 1e-6});
  EXPECT_REFUSED(budget_exceeded, "", curator_.joint_noise(joint.law()));
  curator_.charge(joint.charge());
  EXPECT_REFUSED(internal, "", curator_.joint_noise({joint.law().noise, 0}));
  {
    NoisySums sums = curator_.joint_noise(joint.law());
    Vector v(kDimension, 1.0);
    for (int i = 0; i < 4; ++i) sums.perturb(v);
    EXPECT_REFUSED(internal, "", curator_.release_post_processed(secret(), sums));
    sums.perturb(v);
    EXPECT_EQ(curator_.release_post_processed(secret(), sums), Vector(kDimension, 3.0));
    sums.perturb(v);
    EXPECT_EQ(v, Vector(kDimension, 0.0)) << "more vectors than the plan has";
  }
  EXPECT_REFUSED(budget_exceeded, "", curator_.joint_noise(joint.law()));
}

TEST(JointGaussian, TheGridOfTheWholeSequenceIsInTheSensitivity) {
  for (const double factor : {1.0, 2.0, 50.0}) {
    const JointCalibrated joint = calibrate_joint({0.3, factor, 7, 100}, {.epsilon = 1, .delta = 1e-6});
    const GaussianNoise noise = joint.law().noise;
    EXPECT_GE(noise.grid.sensitivity, 0.3 + factor * noise.grid.step * std::sqrt(7.0));
    EXPECT_LE(noise.grid.sensitivity, 0.3 * (1 + 1.0 / 1000));
    EXPECT_LE(gaussian_delta(noise.grid.sensitivity / noise.stddev(), 1), 1e-6);
    EXPECT_EQ(std::get<GaussianEvent>(joint.charge().event).mu, noise.mu);
    EXPECT_LE(joint.planned.delta, 1e-6) << "to the last bit";
  }
  const JointCalibrated large = calibrate_joint({1, 1, 7, 100}, {.epsilon = 1e4, .delta = 1e-6});
  EXPECT_LT(large.planned.epsilon, 40) << "what the numerical delta does not allow is not promised";
  EXPECT_LE(large.planned.delta, 1e-6);
}

}  // namespace
}  // namespace sotto
