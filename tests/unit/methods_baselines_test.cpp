// The baselines: majority by noisy counts, and the genetic search, each with its draws replayed.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "planned.h"
#include "sotto/base/error.h"
#include "sotto/methods/method.h"
#include "sotto/optim/row_counts.h"
#include "test_rows.h"

namespace sotto::test {
namespace {

/// `positives` rows of class +1, the rest -1, the second feature an intercept; the first tells the class.
Rows table(std::size_t rows, std::size_t positives) {
  Rows result(rows, 2);
  for (std::size_t i = 0; i < rows; ++i) {
    const bool positive = i < positives;
    result.set(i, {{positive ? 0.5 : -0.5, 0.5}, positive ? 1.0F : -1.0F});
  }
  return result;
}

template <class Method>
Vector run_of(const Method& method, Engine& engine, const PlanInput& input, Curator& curator) {
  return charge_and_run(method.plan(input), engine, curator);
}

TEST(Majority, TheLastWeightIsTheLogOddsOfTheCounts) {
  for (const std::size_t positives : {std::size_t{10}, std::size_t{150}}) {
    const Rows rows = table(200, positives);
    TableEngine engine(rows);
    for (const Relation relation : {Relation::replace_one, Relation::add_remove}) {
      const PlanInput input{engine.facts(), {}, {100, 0, relation}};
      BitSource bits(ReproducibleSeed{1});
      Curator curator(bits);
      const Vector w = run_of(Majority{}, engine, input, curator);
      EXPECT_EQ(w[0], 0);
      const double p = static_cast<double>(positives);
      EXPECT_NEAR(w[1], std::log((p + 1) / (201 - p)), 0.1);
    }
  }
}

TEST(Majority, CountsMoveByNoMoreThanTheirSensitivityAndReachIt) {
  const Rows first = table(50, 20), second = table(50, 21);  // one row replaced by one of the other class
  const Facts facts = first.facts();
  const auto counts = [&](const Rows& rows, const Order& order) {
    ClassCounts sum(facts);
    rows.feed(sum, order, 7, false);
    return SensitiveTestAccess::open(sum.take());
  };
  const double replaced = distance(counts(first, stored_order(50)), counts(second, stored_order(50)));
  const double removed = distance(counts(first, stored_order(50)), counts(first, stored_order(49)));
  const Plan replace = Majority{}.plan({facts, {}, {1, 0}});
  const Plan remove = Majority{}.plan({facts, {}, {1, 0, Relation::add_remove}});
  EXPECT_LE(replaced, replace.l2_sensitivity);
  EXPECT_GE(replaced, 0.99 * replace.l2_sensitivity);
  EXPECT_EQ(removed, remove.l2_sensitivity);
}

TEST(Majority, AZeroRowCountsForNoClass) {
  Rows rows(3, 2);
  rows.set(0, {{0.5, 0.5}, 1});
  ClassCounts sum(rows.facts());
  rows.feed(sum, stored_order(3), 3, true);
  EXPECT_EQ(SensitiveTestAccess::open(sum.take()), (Vector{0, 1}));
}

TEST(ErrorCounts, AreThoseOfTheDefinitionForOneAndForSeveralOutputs) {
  const Rows rows = table(100, 30);
  const auto counts = [&](const Loss& loss, const Vector& points, bool sparse) {
    ErrorCounts sum(loss, rows.facts());
    sum.start(points);
    rows.feed(sum, stored_order(100), 33, sparse);
    return SensitiveTestAccess::open(sum.take());
  };
  for (const bool sparse : {false, true}) {
    EXPECT_EQ(counts(Logistic{}, {1, 0, -1, 0, 0, 1, 0, -1}, sparse), (Vector{0, 100, 70, 30}));
    EXPECT_EQ(counts(Softmax{}, {-1, 0, 1, 0, 0, 1, 0, 0}, sparse), (Vector{0, 30}));
  }
}

TEST(PrivGene, EveryDrawIsPaidAndTheAllowanceIsNeverExceeded) {
  const Rows rows = table(100, 40);
  TableEngine engine(rows);
  for (const Budget& budget : {Budget{1, 0}, Budget{1, 1e-6}, Budget{0.1, 1e-6, Relation::add_remove}}) {
    PrivGene method{.population = 20, .parents = 4, .rounds = 6};
    if (budget.relation == Relation::add_remove) method.declared_rows = 100;
    const PlanInput input{engine.facts(), {}, budget};
    BitSource bits(ReproducibleSeed{2});
    Curator curator(bits);
    run_of(method, engine, input, curator);
    EXPECT_EQ(curator.allowance_draws().size(), 25U);
    double epsilon = 0, rho = 0;
    for (const Event& event : curator.allowance_draws()) {
      const double e = std::get<ExponentialEvent>(event).epsilon;
      epsilon += e;
      rho += e * e / 8;
    }
    const Event whole = method.plan(input).charges.at(0).event;
    const auto* zcdp = std::get_if<ZcdpEvent>(&whole);
    const double spent = zcdp != nullptr ? rho / zcdp->rho : epsilon / budget.epsilon;
    EXPECT_LE(spent, 1);
    EXPECT_GE(spent, 0.999);
  }
}

TEST(PrivGene, FindsASeparatingLineWhereThereIsHardlyAnyNoise) {
  const Rows rows = table(100, 40);
  TableEngine engine(rows);
  const PlanInput input{engine.facts(), {}, {1e4, 0}};
  BitSource bits(ReproducibleSeed{3});
  Curator curator(bits);
  const Vector w = run_of(PrivGene{.population = 50, .rounds = 10}, engine, input, curator);
  EXPECT_GT(w[0] + w[1], 0);
  EXPECT_LT(-w[0] + w[1], 0);
}

TEST(PrivGene, SearchesAPopulationOfManyWeightsToo) {
  Rows rows(100, 400);  // 200 x 400 weights, which are not scored as parents in the first round
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<double> x(400, 0.0);
    x[399] = i < 40 ? 0.5 : -0.5;
    rows.set(i, {x, i < 40 ? 1.0F : -1.0F});
  }
  TableEngine engine(rows);
  BitSource bits(ReproducibleSeed{4});
  Curator curator(bits);
  EXPECT_GT(run_of(PrivGene{.rounds = 2}, engine, {engine.facts(), {}, {1e4, 0}}, curator)[399], 0);
}

}  // namespace
}  // namespace sotto::test
