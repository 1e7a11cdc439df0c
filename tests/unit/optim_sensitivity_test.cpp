// The sensitivity of permutation SGD: every closed form that must come out of the one recursion (spec 3.3), an
// independent simulation of the two runs, and the refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/optim/sensitivity.h"

namespace sotto {
namespace {

constexpr double kD = 2;            // replace_one, rows of norm 1
constexpr double kRounding = 2e-6;  // the rounding that spec 5.4 adds; the diameter is passed in without it here
constexpr double kNoCap = std::numeric_limits<double>::infinity();

Facts facts_of(std::uint64_t rows) { return {rows, 5, 1.0, false}; }

StepRule constant(double eta) { return {kNoCap, eta, 1, StepRule::Growth::none}; }
StepRule inverse(double lambda, double cap = kNoCap) { return {cap, 1 / lambda, 0, StepRule::Growth::linear}; }

/// A loss with next to no curvature: no step is too large for it, so uncapped closed forms are exact.
Loss flat_loss() { return HuberSvm{1e6}; }

Recipe recipe_of(Loss loss, double lambda, StepRule step, std::uint64_t batch, std::uint32_t passes) {
  Recipe recipe;
  recipe.loss = loss;
  recipe.lambda = lambda;
  recipe.step = step;
  recipe.batch_rows = batch;
  recipe.passes = passes;
  return recipe;
}

double total(const Recipe& recipe, std::uint64_t rows) { return l2_sensitivity(recipe, facts_of(rows), kD).total; }

/// `bound` is `exact` rounded outward, by little.
void expect_outward(double bound, double exact, double tolerance = kRounding) {
  EXPECT_GE(bound, exact);
  EXPECT_LE(bound, exact * (1 + tolerance));
}

double harmonic(std::uint64_t n) {
  double sum = 0;
  for (std::uint64_t i = n; i >= 1; --i) sum += 1 / static_cast<double>(i);
  return sum;
}

TEST(Sensitivity, ConvexConstantStepGivesPassesTimesDiameterTimesStepOverBatch) {
  for (const std::uint64_t batch : {1, 7, 50, 1000}) {
    const double b = static_cast<double>(batch);
    expect_outward(total(recipe_of(Logistic{}, 0, constant(0.3), batch, 4), 1000), 4 * kD * 0.3 / b);
    // Up to 2/beta = 8, less the rounding of stored rows, no step expands.
    expect_outward(total(recipe_of(Logistic{}, 0, constant(7.9999), batch, 4), 1000), 4 * kD * 7.9999 / b);
  }
}

TEST(Sensitivity, StronglyConvexLastIterateHasNoFactorOfTheBatch) {
  const double lambda = 0.1;
  for (const std::uint64_t batch : {1, 10, 50, 1000}) {
    for (const std::uint32_t passes : {1U, 2U, 7U}) {
      const double n = std::ceil(1000 / static_cast<double>(batch));
      const double exact = kD / (lambda * static_cast<double>(batch) * n);
      expect_outward(total(recipe_of(flat_loss(), lambda, inverse(lambda), batch, passes), 1000), exact);
      EXPECT_NEAR(exact, kD / (lambda * 1000), 1e-12);
    }
  }
}

TEST(Sensitivity, ACapNeverRaisesTheStronglyConvexBoundAndReachesItOnceAPassIsUncapped) {
  const double lambda = 0.01;
  const double cap = 1 / (0.2501 + lambda);  // uncapped from step 26 on
  for (const std::uint64_t rows : {20, 100, 1000, 5000}) {
    for (const std::uint64_t batch : {1, 10}) {
      const Recipe recipe = recipe_of(Logistic{}, lambda, inverse(lambda, cap), batch, 3);
      const double n = static_cast<double>(recipe.steps_per_pass(rows));
      const double form = kD / (lambda * static_cast<double>(batch) * n);
      const double bound = total(recipe, rows);
      EXPECT_LE(bound, form * (1 + kRounding));
      if (n > 26) {
        EXPECT_GE(bound, form);
      }
    }
  }
}

TEST(Sensitivity, BatchesHelpWhereTheCapActsThroughout) {
  // N:A1: m = 60000, lambda = 1e-4, b = 15000, k = 5: 0.016 of D/(lambda m) with a cap of 8.
  const double lambda = 1e-4, cap = 2 / (0.25 * (1 + 0x1p-18) + 2 * lambda);
  const double bound = total(recipe_of(Logistic{}, lambda, inverse(lambda, cap), 15000, 5), 60000);
  EXPECT_NEAR(bound / (kD / (lambda * 60000)), 0.016, 0.0005);
}

TEST(Sensitivity, StronglyConvexConstantStepIsTheGeometricSum) {
  const double lambda = 0.05, eta = 0.4, rho = 1 - eta * lambda;
  for (const std::uint64_t batch : {1, 10, 60}) {
    for (const std::uint32_t passes : {1U, 3U, 20U}) {
      const double n = std::ceil(300 / static_cast<double>(batch));
      const double exact =
          kD * eta / static_cast<double>(batch) * (1 - std::pow(rho, n * passes)) / (1 - std::pow(rho, n));
      expect_outward(total(recipe_of(Logistic{}, lambda, constant(eta), batch, passes), 300), exact);
    }
  }
}

TEST(Sensitivity, WeightedAverageCostsAFactorOfOneMorePass) {
  const double lambda = 0.2;
  for (const std::uint64_t batch : {1, 4, 25}) {
    for (const std::uint32_t passes : {1U, 2U, 5U}) {
      Recipe recipe = recipe_of(flat_loss(), lambda, inverse(lambda), batch, passes);
      recipe.averaging = Averaging::weighted;
      const double n = std::ceil(100 / static_cast<double>(batch)), k = passes;
      expect_outward(total(recipe, 100), kD * (k + 1) / (lambda * static_cast<double>(batch) * (k * n + 1)));
    }
  }
}

TEST(Sensitivity, UniformAverageOfOnePassCostsTheHarmonicNumber) {
  const double lambda = 0.2;
  for (const std::uint64_t rows : {10, 1000}) {
    Recipe recipe = recipe_of(flat_loss(), lambda, inverse(lambda), 1, 1);
    recipe.averaging = Averaging::uniform;
    expect_outward(total(recipe, rows), kD / (lambda * static_cast<double>(rows)) * harmonic(rows));
  }
}

TEST(Sensitivity, UniformAverageOfSeveralPassesStaysBelowItsClosedForm) {
  const double lambda = 0.2;
  for (const std::uint64_t batch : {1, 7}) {
    for (const std::uint32_t passes : {1U, 3U, 10U}) {
      Recipe recipe = recipe_of(flat_loss(), lambda, inverse(lambda), batch, passes);
      recipe.averaging = Averaging::uniform;
      const double n = std::ceil(500 / static_cast<double>(batch));
      const double last = kD / (lambda * static_cast<double>(batch) * n);
      const double bound = total(recipe, 500);
      EXPECT_LE(bound, last * (1 + harmonic(recipe.steps(500)) / passes) * (1 + kRounding));
      EXPECT_GT(bound, last);
    }
  }
}

TEST(Sensitivity, LogarithmicTailAverageLiesBetweenLastAndUniform) {
  const double lambda = 0.2;
  Recipe recipe = recipe_of(flat_loss(), lambda, inverse(lambda), 1, 2);
  const double last = total(recipe, 400);
  recipe.averaging = Averaging::uniform;
  const double uniform = total(recipe, 400);
  recipe.averaging = Averaging::last_log;
  EXPECT_GE(total(recipe, 400), last);
  EXPECT_LT(total(recipe, 400), uniform);
}

TEST(Sensitivity, Corollary2IsItsExactSumAndNotThePrintedLogarithm) {
  const double m = 2000, c = 0.9, k = 5;
  StepContext context{0.25 * (1 + 0x1p-19), 0, 2000};
  const StepRule step = step_rule(DecreasingStep{c}, context);
  double sum = 0;
  for (int j = 0; j < 5; ++j) sum += 1 / (j * m + 1 + std::pow(m, c));
  const double exact = 2 * kD / context.smoothness * sum;
  expect_outward(total(recipe_of(Logistic{}, 0, step, 1, 5), 2000), exact);
  const double printed = 2 * kD / context.smoothness * (std::pow(m, -c) + std::log(k) / m);
  EXPECT_NE(printed, exact);
}

TEST(Sensitivity, Corollary3IsItsExactSum) {
  const double m = 2000, c = 0.5;
  StepContext context{0.25 * (1 + 0x1p-19), 0, 2000};
  const StepRule step = step_rule(SquareRootStep{c}, context);
  for (const std::uint64_t batch : {1, 40}) {
    const double n = m / static_cast<double>(batch);
    double sum = 0;
    for (int j = 0; j < 5; ++j) sum += 1 / (std::sqrt(j * n + 1) + std::pow(m, c));
    expect_outward(total(recipe_of(Logistic{}, 0, step, batch, 5), 2000),
                   2 * kD / context.smoothness * sum / static_cast<double>(batch));
  }
}

TEST(Sensitivity, FreshOrdersCostMoreForAveragesAndNothingMoreForTheLastIterate) {
  // N:A1: lambda = 1e-4, m = 60000, b = 50, k = 5, t-weighted: 0.931 against 1.104 of D/(lambda m).
  const double lambda = 1e-4, unit = kD / (lambda * 60000);
  Recipe recipe = recipe_of(Logistic{}, lambda, inverse(lambda, 2 / (0.25 * (1 + 0x1p-18) + 2 * lambda)), 50, 5);
  recipe.averaging = Averaging::weighted;
  EXPECT_NEAR(total(recipe, 60000) / unit, 0.931, 0.001);
  recipe.fresh_order = true;
  EXPECT_NEAR(total(recipe, 60000) / unit, 1.104, 0.001);

  Recipe last = recipe_of(flat_loss(), 0.1, inverse(0.1), 7, 3);
  const double fixed = total(last, 200);
  last.fresh_order = true;
  EXPECT_NEAR(total(last, 200), fixed, fixed * kRounding);
}

TEST(Sensitivity, AShortLastBatchKeepsTheNominalDivisor) {
  const double lambda = 0.1;
  // N:A1: m = 1001, b = 50: 21 steps a pass, D/(lambda b n) = 0.1905 of 1/lambda per cent.
  expect_outward(total(recipe_of(flat_loss(), 0.01, inverse(0.01), 50, 5), 1001), kD / (0.01 * 50 * 21));
  expect_outward(total(recipe_of(flat_loss(), lambda, inverse(lambda), 10, 3), 91), kD / (lambda * 10 * 10));
  // A batch larger than the table is still divided by its nominal size.
  expect_outward(total(recipe_of(flat_loss(), lambda, inverse(lambda), 500, 3), 91), kD / (lambda * 500));
}

TEST(Sensitivity, TheContractValueIsTwoHundredthsRoundedOutward) {
  Facts facts = facts_of(10000);
  Recipe recipe = recipe_of(Logistic{}, 0.01, {}, 50, 10);
  const LossConstants constants = constants_of(recipe.loss, stored_norm(facts));
  recipe.step = step_rule(DefaultStep{}, {constants.smoothness, 0.01, facts.rows});
  const double bound = l2_sensitivity(recipe, facts, constants.diameter_replace_one).total;
  EXPECT_GE(bound, 0.02);
  EXPECT_LE(bound, 0.02 * (1 + 2e-6));
}

TEST(Sensitivity, LargeStepsPayTheirExpansion) {
  const double eta = 12;  // 1 - 12/4 = -2: each later step doubles the distance
  const double exact = kD * eta * std::pow(2.0, 9);
  const double bound = total(recipe_of(Logistic{}, 0, constant(eta), 1, 1), 10);
  EXPECT_GE(bound, exact);
  EXPECT_LE(bound, exact * (1 + 1e-4));
}

TEST(Sensitivity, StepsWithoutAUsefulBoundAreRefused) {
  try {
    total(recipe_of(Logistic{}, 0, constant(1000), 1, 1), 1000);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::unsupported);
    EXPECT_EQ(e.field(), "step");
  }
}

TEST(Sensitivity, StepsSoShortThatSquaresVanishAreRefused) {
  EXPECT_THROW(total(recipe_of(Logistic{}, 0, constant(1e-103), 10, 1), 100), Error);
  EXPECT_NO_THROW(total(recipe_of(Logistic{}, 0, constant(1e-90), 10, 1), 100));
}

TEST(Sensitivity, ManyExpandingStepsAreRefusedAtOnce) {
  EXPECT_THROW(total(recipe_of(Logistic{}, 0, constant(1e9), 1, 1), 10000000000), Error);
  EXPECT_THROW(total(recipe_of(Logistic{}, 1e-8, inverse(1e-8), 1, 1), 10000000000), Error);
}

TEST(Sensitivity, ALossThatIsNotSmoothIsRefused) {
  try {
    total(recipe_of(Hinge{}, 0.1, constant(0.1), 1, 1), 10);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::unsupported);
    EXPECT_EQ(e.field(), "loss");
  }
}

TEST(Sensitivity, RoundingIsPartOfTheBound) {
  Recipe recipe = recipe_of(Logistic{}, 0, constant(1), 1, 1);
  const Sensitivity small = l2_sensitivity(recipe, facts_of(1000), kD);
  // 2 sum_t e_t with A_t = 1: e_t = u (3 W + eta (beta s W + (b + 3 + 8.5) L)), s = 5 for 5 features, W = sum of eta L.
  const double each = 0x1p-53 * (3 * 1000 + 0.25 * 5 * 1000 + 12.5);
  EXPECT_NEAR(small.rounding, 2 * 1000 * each, 0.02 * small.rounding);
  EXPECT_NEAR(small.weight_bound, 1000, 0.1);
  EXPECT_GE(small.total, kD + small.rounding);
}

TEST(Sensitivity, RoundingIsPaidUpToAQuarterAndRefusedBeyond) {
  Recipe recipe = recipe_of(Logistic{}, 0, constant(1), 1, 1);
  Sensitivity before;
  bool refused = false;
  for (std::uint64_t rows = 100000; rows < 100000000 && !refused; rows = rows * 5 / 4) {
    try {
      const Sensitivity bound = l2_sensitivity(recipe, facts_of(rows), kD);
      EXPECT_LE(bound.rounding, 0.25 * (bound.total - bound.rounding));
      EXPECT_GT(bound.rounding, before.rounding);
      before = bound;
    } catch (const Error& e) {
      refused = true;
      EXPECT_EQ(e.kind(), ErrorKind::unsupported);
      EXPECT_EQ(e.field(), "passes");
    }
  }
  EXPECT_TRUE(refused);
  EXPECT_GT(before.rounding, 0.1 * before.total) << "refused long before a quarter";
}

TEST(Sensitivity, ThePrecisionOfAPlanIsTheFirstThatLosesLittle) {
  Recipe recipe = recipe_of(Logistic{}, 1e-4, inverse(1e-4, 3.9), 50, 10);
  EXPECT_EQ(needed_precision(recipe, facts_of(10000), kD), Precision::plain);
  EXPECT_EQ(needed_precision(recipe, facts_of(1000000000), kD), Precision::weights);
  recipe = recipe_of(Logistic{}, 0, constant(1 / std::sqrt(1e9)), 1, 10);
  EXPECT_EQ(needed_precision(recipe, {1000000000, 1000, 1.0, false}, kD), Precision::margins);
}

/// The recursion of spec 3.2 step by step, in extended precision.
double step_by_step(const Recipe& recipe, std::uint64_t rows, double beta) {
  const std::uint64_t n = recipe.steps_per_pass(rows), steps = recipe.steps(rows);
  std::vector<long double> by_position(n, 0);
  long double carried = 0, next = 0, fresh = 0, largest = 0;
  for (std::uint64_t t = steps; t >= 1; --t) {
    const long double eta = recipe.step(t), lambda = recipe.lambda;
    carried = averaging_weight(recipe.averaging, t, steps) + next * carried;
    const long double c = kD * eta * carried / static_cast<long double>(recipe.batch_rows);
    by_position[(t - 1) % n] += c;
    largest = std::max(largest, c);
    if ((t - 1) % n == 0) fresh += std::exchange(largest, 0);
    next = std::max(std::abs(1 - eta * lambda), std::abs(1 - eta * (beta + lambda)));
  }
  return static_cast<double>(recipe.fresh_order ? fresh : *std::max_element(by_position.begin(), by_position.end()));
}

TEST(Sensitivity, ManyStepsBoundedTogetherAreAtLeastTheStepsOneByOneAndNearThem) {
  const std::uint64_t rows = 150001;
  const Facts facts = facts_of(rows);
  const double beta = constants_of(Logistic{}, stored_norm(facts)).smoothness;
  const StepRule rules[] = {constant(0.001),
                            constant(1),
                            inverse(1e-4, 3.9),
                            inverse(0.3, 3.9),
                            {kNoCap, 0.5, 0, StepRule::Growth::root},
                            {kNoCap, 8, 1000, StepRule::Growth::linear},
                            {kNoCap, 8, 1000, StepRule::Growth::root},
                            {kNoCap, 8.1, 0, StepRule::Growth::root}};
  for (const StepRule& rule : rules) {
    for (const double lambda : {0.0, 1e-4, 0.3}) {
      for (const Averaging averaging :
           {Averaging::last, Averaging::uniform, Averaging::weighted, Averaging::last_log}) {
        for (const bool fresh : {false, true}) {
          Recipe recipe = recipe_of(Logistic{}, lambda, rule, 1, 2);
          recipe.averaging = averaging;
          recipe.fresh_order = fresh;
          recipe.precision = Precision::margins;
          const double exact = step_by_step(recipe, rows, beta);
          if (!(exact < 1e90)) continue;  // refused
          try {
            const Sensitivity bound = l2_sensitivity(recipe, facts, kD);
            EXPECT_GE(bound.total - bound.rounding, exact);
            EXPECT_LE(bound.total - bound.rounding, exact * 1.004)
                << describe(rule) << ' ' << lambda << ' ' << static_cast<int>(averaging) << fresh;
          } catch (const Error& e) {
            ADD_FAILURE() << describe(rule) << ' ' << lambda << ' ' << static_cast<int>(averaging) << ": " << e.what();
          }
        }
      }
    }
  }
}

TEST(Sensitivity, PlansOfABillionRowsHaveABoundNearTheClosedForm) {
  for (const std::uint32_t features : {28U, 1000U}) {
    for (const std::uint64_t batch : {50U, 1U}) {
      const Facts facts{1000000000, features, 1.0, false};
      for (const Loss& loss : {Loss{Logistic{}}, Loss{HuberSvm{1}}}) {
        const LossConstants constants = constants_of(loss, stored_norm(facts));
        Recipe recipe = recipe_of(loss, 1e-4, {}, batch, 10);
        recipe.step = step_rule(DefaultStep{}, {constants.smoothness, 1e-4, facts.rows});
        recipe.precision = needed_precision(recipe, facts, constants.diameter_replace_one);
        EXPECT_LE(l2_sensitivity(recipe, facts, constants.diameter_replace_one).total, 1.05 * 2e-5);
        recipe = recipe_of(loss, 0, {}, batch, 10);
        recipe.step = step_rule(ConstantStep{}, {constants.smoothness, 0, facts.rows});
        recipe.precision = needed_precision(recipe, facts, constants.diameter_replace_one);
        const double closed = 10 * 2 / std::sqrt(1e9) / static_cast<double>(batch);
        EXPECT_LE(l2_sensitivity(recipe, facts, constants.diameter_replace_one).total, 1.25 * closed);
      }
    }
  }
}

TEST(Sensitivity, AnAverageAlsoPaysForItsOwnRounding) {
  // With rho near 0 the recursion forgets every step, but each of the T additions to the average is still rounded.
  Recipe recipe = recipe_of(flat_loss(), 1, constant(1), 1, 1);
  recipe.averaging = Averaging::uniform;
  const Sensitivity bound = l2_sensitivity(recipe, facts_of(100000), kD);
  EXPECT_GE(bound.rounding, 100000 * 0x1p-53 * bound.weight_bound);
}

TEST(Sensitivity, AProjectionCapsTheBoundOnTheWeightsOnly) {
  Recipe recipe = recipe_of(Logistic{}, 0, constant(1), 1, 1);
  const Sensitivity open = l2_sensitivity(recipe, facts_of(1000), kD);
  recipe.projection.radius = 2;
  const Sensitivity ball = l2_sensitivity(recipe, facts_of(1000), kD);
  EXPECT_NEAR(ball.weight_bound, 2, 1e-4);
  EXPECT_NEAR(ball.total - ball.rounding, open.total - open.rounding, 1e-12);
}

TEST(Sensitivity, ABatchAsLargeAsACounterAllowsIsOneStepAPassAndRefused) {
  Recipe recipe = recipe_of(flat_loss(), 0.1, inverse(0.1), std::numeric_limits<std::uint64_t>::max(), 3);
  EXPECT_EQ(recipe.steps(1000), 3U);
  EXPECT_THROW(total(recipe, 1000), Error);  // the steps are so short that rounding is all there is
}

}  // namespace
}  // namespace sotto
