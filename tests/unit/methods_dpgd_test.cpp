// Noisy gradient descent: guarantees recomputed from the card's own numbers by an accountant of a few lines, the truth
// of the hidden-state claim on a quadratic, refusals, and convergence.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "descent_tables.h"
#include "refusals.h"
#include "sensitive_access.h"
#include "sotto/base/error.h"
#include "sotto/methods/dpgd.h"
#include "sotto/methods/dpgd_shape.h"
#include "sotto/privacy/gaussian.h"

namespace sotto::test {
namespace {

const Budget kBudget{.epsilon = 1, .delta = 1e-6};

PlanInput input_of(const Budget& budget, double lambda = 0.01, std::uint64_t rows = 10000) {
  return {{rows, 5, 1.0, false}, {Logistic{}, lambda}, budget};
}
double stddev_of(const Plan& plan) {
  return std::visit([](const auto& m) { return m.stddev(); }, plan.noise->mechanism);
}
/// Between the gradient sums of two tables, as dpgd computes them.
double distance_of_sums(const Rows& one, const Rows& other, const Vector& weights, double clip) {
  const RowGrid grid = narrow_grid(gradient_bound(Logistic{}, one.facts(), clip), one.facts().rows);
  GradientSum first(Logistic{}, one.facts(), grid, clip), second(Logistic{}, other.facts(), grid, clip);
  first.start(weights);
  second.start(weights);
  sum_rows(TableEngine(one), first);
  sum_rows(TableEngine(other), second);
  const Vector a = SensitiveTestAccess::open(first.take()), b = SensitiveTestAccess::open(second.take());
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(squares);
}

TEST(Dpgd, CompositionSpendsTheSumOfMuSquared) {
  for (const std::uint32_t passes : {1U, 7U, 100U}) {
    const Plan plan = Dpgd{.passes = passes, .bound = DescentBound::composition}.plan(input_of(kBudget));
    const double mu_each = 2 / stddev_of(plan);  // D = 2 over the noise of one sum
    const double delta = gaussian_delta(mu_each * std::sqrt(passes), 1);
    EXPECT_LE(delta, 1e-6);
    EXPECT_GE(delta, 0.95e-6) << "more noise than the budget asks for";
    EXPECT_EQ(plan.charges.front().draws(), passes);
    EXPECT_EQ(plan.guarantee.released, "all iterates");
  }
}

TEST(Dpgd, AddRemoveHasHalfTheSensitivityAndADeclaredNumberOfRows) {
  Budget budget = kBudget;
  budget.relation = Relation::add_remove;
  Dpgd method{.passes = 10, .bound = DescentBound::composition};
  EXPECT_REFUSED(invalid_argument, "declared_rows", method.plan(input_of(budget)));
  method.declared_rows = 9000;
  const Plan plan = method.plan(input_of(budget));
  const Plan other = method.plan(input_of(budget, 0.01, 12345));
  EXPECT_EQ(stddev_of(plan), stddev_of(other)) << "nothing depends on the private number of rows";
  EXPECT_NEAR(stddev_of(plan),
              stddev_of(Dpgd{.passes = 10, .bound = DescentBound::composition}.plan(input_of(kBudget))) / 2,
              0.01 * stddev_of(plan));
  EXPECT_REFUSED(invalid_argument, "declared_rows", Dpgd{.passes = 10, .declared_rows = 5}.plan(input_of(kBudget)));
  method.bound = DescentBound::hidden_state;
  EXPECT_REFUSED(unsupported, "bound", method.plan(input_of(budget)));
  method.batch_rows = 100;
  EXPECT_REFUSED(unsupported, "batch_rows", method.plan(input_of(budget)));
}

/// The formulas of spec 7.5 once more, from the step's noise alone.
double hidden_mu(double diameter, double rows_a_step, double sigma, const std::function<double(double)>& factor,
                 double contraction) {
  return diameter / (rows_a_step * sigma) * std::sqrt(factor(contraction));
}

TEST(Dpgd, TheHiddenStateSpendsWhatTheFormulaSays) {
  const double lambda = 0.05, eta = 1 / (0.25 + lambda), c = 1 - eta * lambda;
  for (const std::uint32_t passes : {1U, 10U, 1000U}) {
    const Plan plan = Dpgd{.passes = passes, .bound = DescentBound::hidden_state}.plan(input_of(kBudget, lambda));
    const double sigma = stddev_of(plan) / eta;  // on the mean gradient
    const double t = passes;
    const auto full = [&](double k) { return (1 - std::pow(k, t)) / (1 + std::pow(k, t)) * (1 + k) / (1 - k); };
    const double delta = gaussian_delta(hidden_mu(2, 10000, sigma, full, c), 1);
    EXPECT_LE(delta, 1e-6);
    EXPECT_GE(delta, 0.9e-6);
    EXPECT_EQ(plan.charges.size(), 1U);
    EXPECT_EQ(plan.charges[0].draws(), 1U);
    EXPECT_EQ(plan.guarantee.released, "final weights");
  }
  const Plan plan =
      Dpgd{.passes = 20, .batch_rows = 1000, .bound = DescentBound::hidden_state}.plan(input_of(kBudget, lambda));
  const double l = 10, e = 20;
  const auto cyclic = [&](double k) {
    return 1 + std::pow(k, 2 * l - 2) * (1 - k * k) / std::pow(1 - std::pow(k, l), 2) * (1 - std::pow(k, l * (e - 1))) /
                   (1 + std::pow(k, l * (e - 1)));
  };
  const double delta = gaussian_delta(hidden_mu(2, 1000, stddev_of(plan) / eta, cyclic, c), 1);
  EXPECT_LE(delta, 1e-6);
  EXPECT_GE(delta, 0.9e-6);
}

// On a quadratic the last iterate is Gaussian: its mean moves by s (1 - c^T)/(1 - c) and its variance is
// sigma^2 (1 - c^(2T))/(1 - c^2). The claim is that truth, exactly: nothing smaller would be private.
TEST(Dpgd, TheHiddenStateClaimIsTheTruthOnAQuadratic) {
  const double lambda = 0.05, eta = 1 / (0.25 + lambda), c = 1 - eta * lambda;
  for (const std::uint32_t passes : {1U, 5U, 300U}) {
    const Plan plan = Dpgd{.passes = passes, .bound = DescentBound::hidden_state}.plan(input_of(kBudget, lambda));
    const double shift = eta * 2 / 10000 * (1 - std::pow(c, passes)) / (1 - c);
    const double spread = stddev_of(plan) * std::sqrt((1 - std::pow(c, 2.0 * passes)) / (1 - c * c));
    const double claimed = std::get<GaussianEvent>(plan.charges[0].event).mu;
    EXPECT_LE(shift / spread, claimed);
    EXPECT_GE(shift / spread, 0.99 * claimed);
  }
}

TEST(Dpgd, AutoTakesTheBoundWithLessNoise) {
  const auto released = [](std::uint32_t passes, double lambda) {
    return Dpgd{.passes = passes}.plan(input_of(kBudget, lambda)).guarantee.released;
  };
  EXPECT_EQ(released(500, 0.1), "final weights");
  EXPECT_EQ(released(500, 0), "all iterates");
  const Plan momentum = Dpgd{.passes = 500, .momentum = 0.5}.plan(input_of(kBudget, 0.1));
  EXPECT_EQ(momentum.guarantee.released, "all iterates");
  EXPECT_EQ(momentum.charges.front().draws(), 500U);
}

TEST(Dpgd, TheHiddenStateRefusesWhatItsTheoremDoesNotCover) {
  const DescentBound hidden = DescentBound::hidden_state;
  const PlanInput input = input_of(kBudget);
  EXPECT_REFUSED(unsupported, "momentum", Dpgd{.passes = 9, .momentum = 0.5, .bound = hidden}.plan(input));
  EXPECT_REFUSED(unsupported, "averaging",
                 Dpgd{.passes = 9, .averaging = DescentAverage::tail, .bound = hidden}.plan(input));
  EXPECT_REFUSED(unsupported, "step_size", Dpgd{.passes = 9, .step_size = 8, .bound = hidden}.plan(input));
  EXPECT_REFUSED(unsupported, "lambda", Dpgd{.passes = 9, .bound = hidden}.plan(input_of(kBudget, 0)));
  EXPECT_REFUSED(unsupported, "mechanism",
                 Dpgd{.passes = 9, .bound = hidden, .mechanism = MechanismChoice::discrete_gaussian}.plan(input));
  EXPECT_REFUSED(invalid_argument, "delta", Dpgd{.passes = 9, .bound = hidden}.plan(input_of({.epsilon = 1})));
  for (const double radius : {1e-101, 1e-163, -1.0, 1e13}) {  // squares of weights that are so short are 0
    EXPECT_REFUSED(invalid_argument, "radius", Dpgd{.passes = 9, .radius = radius, .bound = hidden}.plan(input));
  }
  PlanInput hinge = input;
  hinge.problem.loss = Hinge{};
  EXPECT_REFUSED(unsupported, "loss", Dpgd{.passes = 9, .bound = hidden}.plan(hinge));
}

/// Gradient descent to the end, in the test's own arithmetic.
Vector optimum(const Rows& rows, double lambda) {
  GradientSum sum(Logistic{}, rows.facts(), fine_gradients(Logistic{}, rows.facts()));
  Vector w(rows.facts().features, 0.0);
  for (int i = 0; i < 400; ++i) {
    sum.start(w);
    rows.feed(sum, stored_order(rows.size()), 512, false);
    const Vector g = SensitiveTestAccess::open(sum.take());
    for (std::size_t j = 0; j < w.size(); ++j) w[j] -= 3 * (g[j] / static_cast<double>(rows.size()) + lambda * w[j]);
  }
  return w;
}

TEST(Dpgd, ALargeBudgetReachesTheOptimumByEveryBoundAndScheme) {
  const Rows rows = sphere_rows(8000, 3, 1);
  const TableEngine engine(rows);
  const Problem problem{Logistic{}, 0.05};
  const Vector best = optimum(rows, 0.05);
  const Budget budget{.epsilon = 1e4, .delta = 1e-6};
  const Dpgd methods[] = {{.passes = 150, .bound = DescentBound::composition},
                          {.passes = 60, .momentum = 0.5},
                          {.passes = 300, .averaging = DescentAverage::tail, .bound = DescentBound::composition},
                          {.passes = 150, .bound = DescentBound::hidden_state},
                          {.passes = 30, .batch_rows = 2000, .step_size = 1, .bound = DescentBound::hidden_state},
                          {.passes = 30, .batch_rows = 2000, .step_size = 1, .bound = DescentBound::composition}};
  for (const Dpgd& method : methods) {
    EXPECT_LE(distance(released(method, engine, {problem, budget}, 7), best), 1e-2);
  }
}

TEST(Dpgd, TheRadiusBoundsTheWeights) {
  const Rows rows = sphere_rows(500, 3, 2);
  const TableEngine engine(rows);
  for (const DescentBound bound : {DescentBound::composition, DescentBound::hidden_state}) {
    const Dpgd method{.passes = 20, .radius = 0.25, .bound = bound};
    const Vector w = released(method, engine, {{Logistic{}, 0.05}, {.epsilon = 0.5, .delta = 1e-6}}, 3);
    EXPECT_LE(distance(w, Vector(3, 0.0)), 0.25);
  }
}

TEST(Dpgd, PassesOfZeroFollowRowsStepAndBudget) {
  const auto passes = [](double epsilon, std::uint64_t rows) {
    return dpgd_shape(Dpgd{}, input_of({.epsilon = epsilon, .delta = 1e-6}, 0.001, rows)).passes;
  };
  EXPECT_EQ(passes(0.01, 1000), 10U);
  EXPECT_EQ(passes(10, 1000000), 200U);
  EXPECT_LT(passes(0.1, 30000), passes(0.2, 30000));
}

TEST(Dpgd, NoiseFollowsTheSensitivityAtThePublicWeights) {
  const PlanInput input = input_of(kBudget);
  const Dpgd method{.passes = 10, .bound = DescentBound::composition};
  const DescentShape shape = dpgd_shape(method, input);
  const Calibrated noise = dpgd_composition(method, shape, input);
  const GradientNoise sums{noise.mechanism, input.problem.loss, shape.clip, input.budget.relation};
  const double whole = base_of(noise.mechanism).sensitivity;
  for (const double norm : {0.0, 0.5, 2.0, 8.0, 40.0, 1e3}) {
    const Vector weights = {norm, 0, 0, 0, 0};
    const Mechanism here = sums.at(weights, input.facts);
    EXPECT_EQ(event_of(here), event_of(noise.mechanism)) << "the cost is that of the plan";
    EXPECT_LE(base_of(here).sensitivity, whole);
    // The pairs that stretch the set of gradients: opposite rows, and rows that differ across the weights.
    double widest = 0;
    for (double c = -1; c <= 1; c += 0.001) {
      const double across = std::sqrt(1 - c * c);
      const double share = 1 / (1 + std::exp(norm * c));
      widest = std::max(widest, 2 * share * across);
    }
    widest = std::max(widest, 1 / (1 + std::exp(norm)) + 1 / (1 + std::exp(-norm)));
    EXPECT_GE(base_of(here).sensitivity, widest) << norm;
    EXPECT_LE(base_of(here).sensitivity, 1.006 * widest + 1e-5) << norm;
  }
}

TEST(Dpgd, ClippedGradientsNeedTheNoiseOfTheClip) {
  Budget add_remove = kBudget;
  add_remove.relation = Relation::add_remove;
  for (const double clip : {0.1, 0.5, 0.9}) {
    const Dpgd method{.passes = 10, .clip = clip, .bound = DescentBound::composition};
    EXPECT_NEAR(method.plan(input_of(kBudget)).l2_sensitivity, 2 * clip, 1e-6);
    Dpgd declared = method;
    declared.declared_rows = 10000;
    EXPECT_NEAR(declared.plan(input_of(add_remove)).l2_sensitivity, clip, 1e-3 * clip);
  }
  // A clip that never acts changes nothing.
  const Dpgd loose{.passes = 10, .clip = 5, .bound = DescentBound::composition};
  EXPECT_EQ(loose.plan(input_of(kBudget)).l2_sensitivity,
            Dpgd({.passes = 10, .bound = DescentBound::composition}).plan(input_of(kBudget)).l2_sensitivity);
  EXPECT_REFUSED(unsupported, "clip",
                 Dpgd{.passes = 10, .clip = 0.5, .bound = DescentBound::hidden_state}.plan(input_of(kBudget)));
  EXPECT_REFUSED(invalid_argument, "clip", Dpgd{.passes = 10, .clip = -1}.plan(input_of(kBudget)));
}

/// The sums dpgd releases for two tables that differ in one row are no farther apart than its noise covers, at weights
/// at which gradients are short, of all lengths and as long as can be.
TEST(Dpgd, ClippedSumsOfNeighboursAreWithinTheSensitivityAtTheirWeights) {
  Rows one = sphere_rows(50, 2, 4), other = one;
  double closest = 0;
  for (const double clip : {0.3, 0.5, 0.8}) {
    const Dpgd method{.passes = 1, .clip = clip, .bound = DescentBound::composition};
    const PlanInput input{one.facts(), {Logistic{}, 0}, kBudget};
    const DescentShape shape = dpgd_shape(method, input);
    const Calibrated noise = dpgd_composition(method, shape, input);
    const GradientNoise sums{noise.mechanism, input.problem.loss, shape.clip, input.budget.relation};
    for (const double norm : {0.0, 1.0, 20.0}) {
      const Vector weights = {norm, 0};
      const double covered = base_of(sums.at(weights, input.facts)).sensitivity;
      for (double angle = 0; angle < 6.3; angle += 0.1) {
        one.set(7, {{std::cos(angle), std::sin(angle)}, -1});
        other.set(7, {{std::cos(angle), std::sin(angle)}, 1});
        const double apart = distance_of_sums(one, other, weights, shape.clip);
        EXPECT_LE(apart, covered) << clip << " " << norm << " " << angle;
        closest = std::max(closest, apart / covered);
      }
    }
  }
  EXPECT_GE(closest, 0.99) << "the pair that needs all of it was not among them";
}

// Half of the rows bring a sum to a power of 2, or to just below it, where sums of binary64 round the rest otherwise.
TEST(Dpgd, BatchesOfNeighboursAreWithinTheSensitivityWhateverTheOtherRows) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 19;
  Rows one(2 * kHalf, 1), other(2 * kHalf, 1);
  for (std::size_t i = 0; i < 2 * kHalf; ++i) {
    const double x = i < kHalf ? 1 : 0.6 * 0x1p-33;
    one.set(i, {{x}, -1});
    other.set(i, {{x}, i == 0 ? 1.0F : -1.0F});
  }
  PlanInput input{{4 * kHalf, 1, 1.0, false}, {Hinge{}, 0.01}, kBudget};
  const Dpgd method{.passes = 1, .batch_rows = 2 * kHalf, .bound = DescentBound::composition};
  const auto sum_of = [&](const Rows& rows) {
    GradientSum sum(Hinge{}, rows.facts(), dpgd_shape(method, input).grid);
    const Vector weights{0.0};
    sum.start(weights);
    TableEngine(rows).scan_rows(0, rows.facts().rows, sum);
    return SensitiveTestAccess::open(sum.take())[0];
  };
  const Plan plan = method.plan(input);
  const double apart = std::fabs(sum_of(one) - sum_of(other));
  EXPECT_EQ(apart, 2);
  EXPECT_LE(apart, plan.l2_sensitivity);
  EXPECT_LE(plan.l2_sensitivity, 2 + 1e-5);
}

TEST(Dpgd, TheFirstSumOfALogisticRunHasHalfTheNoise) {
  const Rows rows(100, 3000);  // zero rows: what is released is the noise
  const TableEngine engine(rows);
  const Dpgd method{.passes = 1, .step_size = 1, .bound = DescentBound::composition};
  const PlanInput input{rows.facts(), {Logistic{}, 0}, kBudget};
  const double planned = stddev_of(method.plan(input));
  double squares = 0;
  for (const double w : released(method, engine, {{Logistic{}, 0}, kBudget}, 5)) squares += w * w * 100 * 100;
  EXPECT_NEAR(std::sqrt(squares / 3000), planned / 2, 0.05 * planned / 2);
}

}  // namespace
}  // namespace sotto::test
