// Correlated noise: the coefficients, the sensitivity of the mixed sums against a direct computation on neighbours, the
// law of the noise, refusals and convergence.
#include <gtest/gtest.h>

#include <cmath>

#include "descent_tables.h"
#include "sotto/base/error.h"
#include "sotto/methods/correlated.h"
#include "sotto/optim/correlated.h"
#include "sotto/privacy/gaussian.h"

namespace sotto::test {
namespace {

TEST(Correlated, TheCoefficientsAreThoseOfTheTwoRootsAndInvertEachOther) {
  const auto c = inverse_root_coefficients(50), r = root_coefficients(50);
  EXPECT_EQ(c[1], 0.5);
  EXPECT_EQ(c[2], 0.375);
  EXPECT_EQ(r[1], -0.5);
  EXPECT_EQ(r[2], -0.125);
  EXPECT_EQ(r[3], -0.0625);
  for (std::size_t n = 0; n < 50; ++n) {
    double product = 0, square = 0;
    for (std::size_t k = 0; k <= n; ++k) product += c[k] * r[n - k], square += c[k] * c[n - k];
    EXPECT_NEAR(product, n == 0 ? 1 : 0, 1e-15);
    EXPECT_NEAR(square, 1, 1e-14) << "C C is the matrix of prefix sums";
  }
}

/// Keeps what would be noised and puts a public vector in its place.
class Captured final : public StepNoise {
 public:
  void perturb(std::span<double> values) noexcept override {
    rows.emplace_back(values.begin(), values.end());
    const double t = static_cast<double>(rows.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(t + static_cast<double>(i));
  }
  std::vector<Vector> rows;
};

/// The distance of everything that is noised in two runs over neighbours.
double gap_of(std::uint64_t rows, std::uint64_t batch, std::uint32_t passes, std::size_t position) {
  Rows first(rows, 2), second(rows, 2);
  first.set(position, {{1, 0}, 1});
  second.set(position, {{-1, 0}, 1});
  const std::uint64_t steps = (rows + batch - 1) / batch * passes;
  Captured runs[2];
  const Rows* tables[] = {&first, &second};
  for (int i = 0; i < 2; ++i) {
    CorrelatedDescent descent({HuberSvm{0.1}, 0.01, 1e-4, 0, batch, steps}, first.facts(), runs[i]);
    for (std::uint32_t pass = 0; pass < passes; ++pass) tables[i]->feed(descent, stored_order(rows), 7, i == 1);
    EXPECT_EQ(descent.steps_done(), steps);
  }
  double squares = 0;
  for (std::uint64_t t = 0; t < steps; ++t) squares += std::pow(distance(runs[0].rows[t], runs[1].rows[t]), 2);
  return std::sqrt(squares);
}

TEST(Correlated, NoPairMovesTheMixedSumsByMoreThanTheClaimAndTheFirstBatchReachesIt) {
  for (const std::uint64_t batch : {4, 7, 20}) {
    for (const std::uint32_t passes : {1U, 3U}) {
      const PlanInput input{{20, 2, 1.0, false}, {HuberSvm{0.1}, 0.01}, {.epsilon = 1, .delta = 1e-6}};
      const double claim = Correlated{.passes = passes, .batch_rows = batch}.plan(input).l2_sensitivity;
      double largest = 0;
      for (const std::size_t position : {0U, 6U, 13U, 19U}) {
        largest = std::max(largest, gap_of(20, batch, passes, position));
      }
      EXPECT_LE(largest, claim);
      EXPECT_GE(largest, 0.99 * claim);
    }
  }
}

TEST(Correlated, ThePlanSpendsItsBudgetOnOneEvent) {
  const PlanInput input{{10000, 5, 1.0, false}, {Logistic{}, 0.01}, {.epsilon = 1, .delta = 1e-6}};
  const Plan plan = Correlated{.passes = 2, .batch_rows = 500}.plan(input);
  // |sum_j C[:, 1 + 20 j]| in the test's own arithmetic.
  const std::uint64_t n = 20, steps = 40;
  std::vector<double> c(steps, 1.0);
  for (std::size_t k = 1; k < steps; ++k) c[k] = c[k - 1] * (1 - 0.5 / static_cast<double>(k));
  double squares = 0;
  for (std::size_t t = 0; t < steps; ++t) squares += std::pow(c[t] + (t >= n ? c[t - n] : 0), 2);
  const double sigma = std::visit([](const auto& m) { return m.stddev(); }, plan.noise->mechanism);
  const double delta = gaussian_delta(2 * std::sqrt(squares) / sigma, 1);
  EXPECT_LE(delta, 1e-6);
  EXPECT_GE(delta, 0.95e-6);
  EXPECT_EQ(plan.charges[0].draws(), 1U);
}

/// Noises through the curator.
class Curated final : public StepNoise {
 public:
  explicit Curated(NoisySums sums) : sums_(std::move(sums)) {}
  void perturb(std::span<double> values) noexcept override { sums_.perturb(values); }

 private:
  NoisySums sums_;
};

// Rows are zero, so that weights are -(eta/b) times prefix sums of C^-1 Z: of standard deviation sigma |c| eta/b.
TEST(Correlated, TheNoiseOfTheLastWeightsIsThatOfTheFactorisation) {
  const Rows rows(40, 4);
  const PlanInput input{rows.facts(), {Logistic{}, 0}, {.epsilon = 1, .delta = 1e-5}};
  const Plan plan = Correlated{.passes = 2, .batch_rows = 4}.plan(input);
  const JointGaussian law{std::get<GaussianNoise>(plan.noise->mechanism), 20};
  double squares = 0, sum = 0;
  for (const double c : inverse_root_coefficients(20)) squares += c * c;
  const double expected = law.noise.stddev() * std::sqrt(squares) / 4;
  constexpr int kRuns = 1000;
  BitSource bits(ReproducibleSeed{9});
  for (int i = 0; i < kRuns; ++i) {
    Curator curator(bits);
    curator.charge(plan.charges[0]);
    Curated noise(curator.joint_noise(law));
    CorrelatedDescent descent({Logistic{}, 0, 1, 0, 4, 20}, rows.facts(), noise);
    for (int pass = 0; pass < 2; ++pass) rows.feed(descent, stored_order(40), 40, false);
    for (const double w : SensitiveTestAccess::open(std::move(descent).finish())) sum += w * w;
  }
  EXPECT_NEAR(std::sqrt(sum / (4 * kRuns)), expected, 0.05 * expected);
}

TEST(Correlated, ALargeBudgetReachesTheOptimum) {
  const Rows rows = sphere_rows(10000, 3, 1);
  const TableEngine engine(rows);
  const Budget budget{.epsilon = 1e4, .delta = 1e-6};
  const auto weights = [&](std::uint32_t passes, std::uint64_t batch, double step) {
    const Correlated method{.passes = passes, .batch_rows = batch, .step_size = step, .order = RowOrder::stored};
    return released(method, engine, {{Logistic{}, 0.05}, budget}, 3);
  };
  const Vector best = weights(150, 10000, 3);
  EXPECT_LE(distance(weights(20, 1000, 0.5), best), 3e-2);
  GradientSum sum(Logistic{}, rows.facts(), fine_gradients(Logistic{}, rows.facts()));
  sum.start(best);
  rows.feed(sum, stored_order(rows.size()), 512, false);
  const Vector g = SensitiveTestAccess::open(sum.take());
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(g[j] / 10000 + 0.05 * best[j], 0, 0.05 * 1e-2);
}

TEST(Correlated, RefusesFreshOrdersAddRemovePureBudgetsAndTooManySteps) {
  const auto field_of = [](const Correlated& method, const Budget& budget) {
    try {
      method.plan({{100000, 5, 1.0, false}, {Logistic{}, 0.01}, budget});
    } catch (const Error& e) {
      return e.field();
    }
    return std::string("nothing");
  };
  const Budget budget{.epsilon = 1, .delta = 1e-6};
  EXPECT_EQ(field_of({.order = RowOrder::fresh}, budget), "order");
  EXPECT_EQ(field_of({}, {.epsilon = 1, .delta = 1e-6, .relation = Relation::add_remove}), "relation");
  EXPECT_EQ(field_of({}, {.epsilon = 1}), "delta");
  EXPECT_EQ(field_of({.passes = 1, .batch_rows = 1}, budget), "batch_rows");
  EXPECT_EQ(field_of({}, budget), "nothing");
}

}  // namespace
}  // namespace sotto::test
