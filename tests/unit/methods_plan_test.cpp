// The plans of bolt_on, scs13 and noiseless: closed forms, scales, refusals that name their field.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "planned.h"
#include "refusals.h"
#include "sotto/base/error.h"
#include "sotto/methods/method.h"
#include "sotto/privacy/gaussian.h"

namespace sotto {
namespace {

PlanInput input_of(const Budget& budget = {.epsilon = 1}, const Loss& loss = Logistic{}) {
  return {{10000, 5, 1.0, false}, {loss, 0.01}, budget};
}
double scale_of(const Plan& plan) {
  return std::visit([](const auto& m) { return m.scale(); }, plan.noise->mechanism);
}

TEST(BoltOn, TheContractPlanHasSensitivityTwoHundredthsAndPureNoise) {
  const Plan plan = BoltOn{}.plan(input_of());
  EXPECT_GE(plan.l2_sensitivity, 0.02);
  EXPECT_LE(plan.l2_sensitivity, 0.02 * (1 + 2e-6));
  EXPECT_EQ(name_of(plan.noise->mechanism), "l2_laplace");
  EXPECT_NEAR(scale_of(plan), 0.02, 0.02 / 1000);
  EXPECT_TRUE(plan.not_private.empty());
  EXPECT_EQ(plan.guarantee.epsilon, 1);
  EXPECT_GT(plan.guarantee.delta, 0);
  EXPECT_LT(plan.guarantee.delta, 1e-17);
  EXPECT_EQ(plan.guarantee.released, "final weights");
}

TEST(BoltOn, RefusesTheHingeAndAddRemove) {
  EXPECT_REFUSED(unsupported, "loss", BoltOn{}.plan(input_of({.epsilon = 1}, Hinge{})));
  EXPECT_REFUSED(unsupported, "relation", BoltOn{}.plan(input_of({1, 0, Relation::add_remove})));
}

TEST(BoltOn, ThePublishedCalibrationDividesByTheBatchAndIsStamped) {
  const Plan plan = BoltOn{.calibration = Calibration::published}.plan(input_of());
  EXPECT_DOUBLE_EQ(plan.l2_sensitivity, 2 * 2 / (0.01 * 10000 * 50));  // 2 (1 + lambda R)/(lambda m b), R = 1/lambda
  ASSERT_EQ(plan.not_private.size(), 1U);
  EXPECT_NE(plan.not_private[0].find("batch"), std::string::npos);
  EXPECT_NEAR(scale_of(plan), plan.l2_sensitivity, plan.l2_sensitivity / 1000);
}

TEST(BoltOn, ThePublishedConvexFormulasAreThePrintedOnes) {
  PlanInput input = input_of();
  input.problem.lambda = 0;
  SgdOptions sgd{.passes = 3, .batch_rows = 10, .step = ConstantStep{0.5}};
  EXPECT_DOUBLE_EQ(published_sensitivity(sgd, input), 2 * 3 * 0.5 / 10);
  sgd.step = DecreasingStep{0.5};
  EXPECT_NEAR(published_sensitivity(sgd, input), 4 / 0.25 * (0.01 + std::log(3.0) / 10000) / 10, 1e-9);
  sgd.step = SquareRootStep{0.5};
  double sum = 0;
  for (int j = 0; j < 3; ++j) sum += 1 / (std::sqrt(j * 10000.0 + 1) + 100);
  EXPECT_NEAR(published_sensitivity(sgd, input), 4 / 0.25 * sum / 10, 1e-9);
  sgd.step = InverseSqrtStep{};
  EXPECT_REFUSED(invalid_argument, "calibration", published_sensitivity(sgd, input));
  sgd.step = DecreasingStep{0.5};  // the corollaries are for convex losses
  EXPECT_REFUSED(invalid_argument, "calibration", published_sensitivity(sgd, input_of()));
}

TEST(BoltOn, FreshOrdersNeedNoLessNoise) {
  BoltOn fixed{.sgd = {.passes = 5, .batch_rows = 50, .averaging = Averaging::weighted}};
  BoltOn fresh = fixed;
  fresh.sgd.order = RowOrder::fresh;
  EXPECT_GE(fresh.plan(input_of()).l2_sensitivity, fixed.plan(input_of()).l2_sensitivity);
  EXPECT_TRUE(recipe_of(fresh.plan(input_of())).fresh_order);
  fixed.sgd.order = RowOrder::stored;
  EXPECT_FALSE(recipe_of(fixed.plan(input_of())).fresh_order);
}

TEST(Scs13, TheScaleOfAPassIsTheDiameterTimesThePassesOverEpsilon) {
  for (const std::uint32_t passes : {1U, 2U, 5U}) {
    Scs13 method;
    method.sgd.passes = passes;
    const Plan plan = method.plan(input_of({.epsilon = 0.5}));
    EXPECT_GE(plan.l2_sensitivity, 2);
    EXPECT_LE(plan.l2_sensitivity, 2 * (1 + 2e-6));
    EXPECT_GE(scale_of(plan), 2 * passes / 0.5);
    EXPECT_LE(scale_of(plan), 2 * passes / 0.5 * (1 + 2.0 / 1024));
    EXPECT_EQ(plan.charges.front().times, passes);
    EXPECT_EQ(plan.charges.front().parts, 200U);
    EXPECT_EQ(plan.guarantee.released, "all iterates");
  }
}

TEST(Scs13, GaussianPassesAddTheirSquares) {
  Scs13 method;
  method.sgd.passes = 4;
  const Plan plan = method.plan(input_of({.epsilon = 1, .delta = 1e-6}));
  const double sigma = 2 * std::sqrt(4.0) / gaussian_mu(1, 1e-6);
  EXPECT_GE(scale_of(plan), sigma);
  EXPECT_LE(scale_of(plan), sigma * (1 + 2.0 / 1024));
}

TEST(SgdOptions, StepsBeyondAWordAreRefusedAndNotCountedAsFew) {
  PlanInput input = input_of();
  input.facts.rows = std::uint64_t{1} << 33;
  EXPECT_REFUSED(invalid_argument, "passes", Scs13{.sgd = {.passes = (1U << 31) + 1, .batch_rows = 1}}.plan(input));
}

TEST(Scs13, TakesEveryLossAndRefusesAddRemove) {
  EXPECT_TRUE(Scs13{}.plan(input_of({.epsilon = 1}, Hinge{})).not_private.empty());
  EXPECT_REFUSED(unsupported, "relation", Scs13{}.plan(input_of({1, 0, Relation::add_remove})));
}

TEST(Noiseless, IsNeverPrivateAndNeedsNoBudget) {
  const Plan plan = Noiseless{}.plan(input_of({}));
  EXPECT_FALSE(plan.noise);
  EXPECT_FALSE(plan.not_private.empty());
}

TEST(Plans, ArgumentsOutOfRangeNameTheirField) {
  const double nan = std::nan("");
  const auto with = [](const std::function<void(SgdOptions&, PlanInput&)>& change) {
    return [change] {
      BoltOn method;
      PlanInput input = input_of();
      change(method.sgd, input);
      method.plan(input);
    };
  };
  EXPECT_REFUSED(invalid_argument, "passes", with([](SgdOptions& s, PlanInput&) { s.passes = 0; })());
  EXPECT_REFUSED(invalid_argument, "passes", with([](SgdOptions& s, PlanInput&) {
                   s.passes = 4000000000U;
                   s.batch_rows = 1;
                 })());
  EXPECT_REFUSED(invalid_argument, "batch_rows", with([](SgdOptions& s, PlanInput&) { s.batch_rows = 0; })());
  EXPECT_REFUSED(invalid_argument, "radius", with([](SgdOptions& s, PlanInput&) { s.radius = -1; })());
  EXPECT_REFUSED(invalid_argument, "radius", with([&](SgdOptions& s, PlanInput&) { s.radius = nan; })());
  EXPECT_REFUSED(invalid_argument, "step_size", with([](SgdOptions& s, PlanInput&) { s.step = ConstantStep{-1}; })());
  EXPECT_REFUSED(invalid_argument, "step_size", with([&](SgdOptions& s, PlanInput&) { s.step = ConstantStep{nan}; })());
  EXPECT_REFUSED(invalid_argument, "step_numerator",
                 with([](SgdOptions& s, PlanInput&) { s.step = InverseSqrtStep{0}; })());
  EXPECT_REFUSED(invalid_argument, "step_cap",
                 with([](SgdOptions& s, PlanInput&) { s.step = CappedInverseStep{-1}; })());
  EXPECT_REFUSED(invalid_argument, "step_power", with([](SgdOptions& s, PlanInput&) { s.step = DecreasingStep{1}; })());
  EXPECT_REFUSED(invalid_argument, "step_power",
                 with([](SgdOptions& s, PlanInput&) { s.step = SquareRootStep{-0.1}; })());
  EXPECT_REFUSED(invalid_argument, "step", with([](SgdOptions& s, PlanInput& i) {
                   s.step = InverseStep{};
                   i.problem.lambda = 0;
                 })());
  EXPECT_REFUSED(invalid_argument, "lambda", with([](SgdOptions&, PlanInput& i) { i.problem.lambda = -1; })());
  EXPECT_REFUSED(invalid_argument, "lambda", with([&](SgdOptions&, PlanInput& i) { i.problem.lambda = nan; })());
  EXPECT_REFUSED(invalid_argument, "huber_width",
                 with([](SgdOptions&, PlanInput& i) { i.problem.loss = HuberSvm{0}; })());
  EXPECT_REFUSED(invalid_argument, "rows", with([](SgdOptions&, PlanInput& i) { i.facts.rows = 0; })());
  EXPECT_REFUSED(invalid_argument, "features", with([](SgdOptions&, PlanInput& i) { i.facts.features = 0; })());
  EXPECT_REFUSED(invalid_argument, "data_norm", with([&](SgdOptions&, PlanInput& i) { i.facts.data_norm = nan; })());
  EXPECT_REFUSED(invalid_argument, "data_norm", with([](SgdOptions&, PlanInput& i) { i.facts.data_norm = 0; })());
  EXPECT_REFUSED(invalid_argument, "epsilon", with([](SgdOptions&, PlanInput& i) { i.budget.epsilon = 0; })());
  EXPECT_REFUSED(invalid_argument, "delta", with([](SgdOptions&, PlanInput& i) { i.budget.delta = 0.7; })());
}

TEST(Plans, CountsNearTheEndOfTheirRangeAreRefusedAndNotWrapped) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  BoltOn method;
  method.sgd.batch_rows = kMax;
  EXPECT_THROW(method.plan(input_of()), Error);
  method.sgd.batch_rows = 1;
  method.sgd.passes = 2;
  PlanInput input = input_of();
  input.facts.rows = kMax / 2 + 2;  // twice as many steps do not fit 64 bits
  EXPECT_REFUSED(invalid_argument, "passes", method.plan(input));
}

}  // namespace
}  // namespace sotto
