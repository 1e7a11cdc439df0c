// dp_agd: every draw replayed by an accountant of the test's own, the optimum when noise is small, the same bits from
// every number of threads and blocks, and what it refuses.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "planned.h"
#include "sotto/base/error.h"
#include "sotto/engines/in_memory.h"
#include "sotto/methods/method.h"
#include "sotto/optim/gradient_sum.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/train.h"
#include "test_rows.h"

namespace sotto::test {
namespace {

Rows table(std::size_t rows, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> coordinate(-0.6, 0.6);
  Rows result(rows, 3);
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = coordinate(random), b = coordinate(random);
    const bool positive = a - 0.5 * b + 0.3 * coordinate(random) > 0.1;
    result.set(i, {{a, b, 0.5}, positive ? 1.0F : -1.0F});
  }
  return result;
}

PlanInput input_of(const Engine& engine, const Budget& budget, double lambda = 0.01) {
  return {engine.facts(), {Logistic{}, lambda}, budget};
}

struct Outcome {
  Vector weights;
  std::vector<Event> draws;
};

Outcome run_of(const DpAgd& method, Engine& engine, const PlanInput& input, std::uint64_t seed) {
  BitSource bits(ReproducibleSeed{seed});
  Curator curator(bits);
  Vector weights = charge_and_run(method.plan(input), engine, curator);
  return {std::move(weights), curator.allowance_draws()};
}

/// rho (or, for pure budgets, epsilon) of a draw, written down here once more.
long double price(const Event& event, bool pure) {
  if (const auto* e = std::get_if<DiscreteGaussianEvent>(&event)) return pure ? 1e9L : e->rho;
  if (const auto* e = std::get_if<DiscreteLaplaceEvent>(&event)) return pure ? e->epsilon : 1e9L;
  const auto& e = std::get<ExponentialEvent>(event);
  return pure ? e.epsilon : static_cast<long double>(e.epsilon) * e.epsilon / 8;
}

long double whole_of(const Plan& plan) {
  EXPECT_EQ(plan.charges.size(), 1U);
  if (const auto* e = std::get_if<ZcdpEvent>(&plan.charges[0].event)) return e->rho;
  return std::get<PureEvent>(plan.charges[0].event).epsilon;
}

TEST(DpAgd, EveryDrawIsPaidOnceAndTheAllowanceIsNeverExceeded) {
  const Rows rows = table(300);
  TableEngine engine(rows);
  for (const Budget& budget : {Budget{0.1, 1e-6}, Budget{1, 1e-6}, Budget{8, 1e-3}, Budget{1, 0},
                               Budget{1, 1e-6, Relation::add_remove}, Budget{1000, 1e-6}}) {
    DpAgd method{.splits = 15};
    if (budget.relation == Relation::add_remove) method.declared_rows = 250;
    const PlanInput input = input_of(engine, budget);
    const bool pure = budget.delta == 0;
    const long double whole = whole_of(method.plan(input));
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Outcome outcome = run_of(method, engine, input, seed);
      long double spent = 0;
      for (const Event& event : outcome.draws) spent += price(event, pure);
      EXPECT_LE(spent, whole);
      EXPECT_GE(spent, 0.999L * whole) << "the remainder goes to a last gradient";
      EXPECT_TRUE(
          std::all_of(outcome.weights.begin(), outcome.weights.end(), [](double w) { return std::isfinite(w); }));
    }
  }
}

TEST(DpAgd, AfterAChoiceComesAGradientAtTheFullShareOrItsIncrease) {
  const Rows rows = table(300);
  TableEngine engine(rows);
  const DpAgd method{.splits = 20};
  const PlanInput input = input_of(engine, {0.5, 1e-6});
  const AdaptiveTerms terms = agd_terms(method, input);
  std::size_t averaged = 0, accepted = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const std::vector<Event> draws = run_of(method, engine, input, seed).draws;
    double share = terms.gradient_share;
    for (std::size_t i = 0; i + 2 < draws.size(); ++i) {  // the last gradient has a price of its own
      const auto* gradient = std::get_if<DiscreteGaussianEvent>(&draws[i]);
      EXPECT_EQ(gradient == nullptr, i % 2 == 1) << "one choice for each gradient";
      if (gradient == nullptr) continue;
      if (std::fabs(gradient->rho - share) < 1e-9 * share) {
        ++accepted;
        continue;
      }
      EXPECT_NEAR(gradient->rho, 0.1 * share, 1e-9 * share);
      share *= 1.1;
      ++averaged;
    }
  }
  EXPECT_GT(averaged, 5U);
  EXPECT_GT(accepted, 5U);
}

/// Gradient descent without noise.
Vector optimum(Engine& engine, const Problem& problem) {
  const Facts facts = engine.facts();
  GradientSum sum(problem.loss, facts, fine_gradients(problem.loss, facts));
  Vector w(weight_count(problem.loss, facts), 0.0);
  for (int t = 0; t < 600; ++t) {
    sum.start(w);
    sum_rows(engine, sum, 1);
    const Vector g = SensitiveTestAccess::open(sum.take());
    for (std::size_t i = 0; i < w.size(); ++i) {
      w[i] -= 2 * (g[i] / static_cast<double>(facts.rows) + problem.lambda * w[i]);
    }
  }
  return w;
}

TEST(DpAgd, ReachesTheOptimumWhereThereIsHardlyAnyNoise) {
  const Rows rows = table(2000);
  TableEngine engine(rows);
  for (const Loss& loss : {Loss(Logistic{}), Loss(Softmax{})}) {
    for (const Relation relation : {Relation::replace_one, Relation::add_remove}) {
      DpAgd method{.splits = 40, .step_shrink = 0.5};
      if (relation == Relation::add_remove) method.declared_rows = 2000;
      const PlanInput input{engine.facts(), {loss, 0.05}, {1e4, 1e-6, relation}};
      EXPECT_LE(distance(run_of(method, engine, input, 1).weights, optimum(engine, input.problem)), 1e-2);
    }
  }
}

TEST(DpAgd, GivesTheSameBitsFromEveryEngineAndInEveryRun) {
  const Rows rows = table(3000);
  TableEngine engine(rows);
  std::vector<float> dense, labels;
  struct Copy final : RowConsumer {
    std::vector<float>& dense;
    std::vector<float>& labels;
    Copy(std::vector<float>& d, std::vector<float>& l) : dense(d), labels(l) {}
    void consume(const RowBlock& block) noexcept override {
      dense.insert(dense.end(), block.dense, block.dense + block.rows * block.features);
      labels.insert(labels.end(), block.labels, block.labels + block.rows);
    }
  } copy(dense, labels);
  engine.scan_rows(0, 3000, copy);
  RowBlock block{3000, 3, labels.data(), dense.data(), nullptr, nullptr, nullptr};
  InMemoryEngine memory(engine.facts(), block);
  const PlanInput input = input_of(engine, {1, 1e-6});
  const DpAgd method{.splits = 10};
  const Vector first = run_of(method, engine, input, 7).weights;
  EXPECT_EQ(first, run_of(method, memory, input, 7).weights);
  EXPECT_EQ(first, run_of(method, engine, input, 7).weights);
  EXPECT_NE(first, run_of(method, engine, input, 8).weights);
}

TEST(DpAgd, TheGuaranteeIsTheWholeAllowance) {
  const Rows rows = table(300);
  TableEngine engine(rows);
  const Plan plan = DpAgd{}.plan(input_of(engine, {1, 1e-6}));
  EXPECT_NEAR(static_cast<double>(whole_of(plan)), zcdp_rho(1, 1e-6), 1e-8);
  EXPECT_EQ(plan.guarantee.epsilon, 1);
  EXPECT_LE(plan.guarantee.delta, 1e-6);
  EXPECT_GE(plan.guarantee.delta, 0.99e-6);
  const Plan pure = DpAgd{}.plan(input_of(engine, {1, 0}));
  EXPECT_EQ(pure.guarantee.delta, 0);
  EXPECT_EQ(whole_of(pure), 1);
}

TEST(DpAgd, UnderAddRemoveTheNumberOfRowsIsDeclaredAndTheCountIsNotUsed) {
  const Rows rows = table(300), more = table(301);
  TableEngine engine(rows), other(more);
  const Budget budget{1, 1e-6, Relation::add_remove};
  EXPECT_THROW(DpAgd{}.plan(input_of(engine, budget)), Error);
  EXPECT_THROW(DpAgd{.declared_rows = 300}.plan(input_of(engine, {1, 1e-6})), Error);
  const DpAgd method{.declared_rows = 280};
  const auto card = [&](const Engine& e) {
    const PlanInput input = input_of(e, budget);
    return card_json(make_card(method.plan(input)));
  };
  EXPECT_EQ(card(engine), card(other)) << "nothing in the card may tell the private count";
}

TEST(DpAgd, ATrainedModelCarriesTheCard) {
  const Rows rows = table(300);
  TableEngine engine(rows);
  TrainRequest request;
  request.problem = {Logistic{}, 0.01};
  request.method = DpAgd{.splits = 5};
  request.budget = {1, 1e-6};
  BitSource bits;
  const Model model = train(engine, request, bits);
  EXPECT_TRUE(model.card.is_private);
  EXPECT_EQ(model.weights.size(), 3U);
  ASSERT_EQ(model.card.events.size(), 1U);
  EXPECT_EQ(model.card.events[0].event, "zcdp");
}

/// Sees what a choice is made of, and says what every noised gradient was.
struct ChoiceWatcher final : Drawer {
  using Drawer::Drawer;
  Vector estimate;
  std::vector<Vector> scores;
  std::vector<double> ranges;
  Vector release(Vector, const Mechanism&) override { return estimate; }
  std::size_t choose(const Vector& seen, const Choice& choice) override {
    scores.push_back(seen);
    ranges.push_back(choice.range);
    return 1;
  }
};

// Squares of 1.5e-162 are 0, and those of 1.6e-162 are not: the direction was ten times too long, and with it all steps.
TEST(DpAgd, TheRangeOfAChoiceHoldsForEstimatesWhoseSquaresUnderflow) {
  constexpr std::uint32_t kFeatures = 400;
  const auto first_choice = [&](bool with_row, double scale) {
    Rows rows(with_row ? 2 : 1, kFeatures);
    if (with_row) rows.set(1, {Vector(kFeatures, 1 / std::sqrt(kFeatures)), 1});
    TableEngine engine(rows);
    const DpAgd method{.largest_step = 0.1, .gradient_clip = 1e-163, .declared_rows = 5};
    BitSource bits(ReproducibleSeed{1});
    ChoiceWatcher watcher(bits);
    watcher.estimate.assign(kFeatures, 1.5 * scale);
    watcher.estimate[0] = 1.6 * scale;
    Curator curator(watcher);
    charge_and_run(method.plan(input_of(engine, {1, 1e-6, Relation::add_remove}, 0)), engine, curator);
    return std::pair{watcher.scores.at(0), watcher.ranges.at(0)};
  };
  for (const double scale : {1e-162, 1e-170, 1e-310, 1e160, 1e307, 1.0}) {
    Vector moved = first_choice(true, scale).first;  // with a row along the direction
    const auto [without, range] = first_choice(false, scale);
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] -= without[i];
    const auto [least, most] = std::ranges::minmax(moved);
    EXPECT_LE(most - least, range) << scale;
    EXPECT_GE(most - least, 0.4 * range) << scale;
  }
}

// A loss that is the sum of K others is off by up to K u of it; the range must hold that of two candidates.
TEST(DpAgd, TheRangeHoldsTheRoundingOfLossesOfManyOutputs) {
  constexpr std::uint32_t kClasses = 1000;
  const DpAgd method{.loss_clip = 1e6};
  const AdaptiveTerms terms = agd_terms(method, {{100, 1, 1.0, false, kClasses}, {Logistic{}, 0}, {1, 1e-6}});
  const double exact = terms.relation_factor * 1e-9 * terms.lipschitz;
  const double summed = 0x1p-53 * kClasses * (kClasses * std::log(2.0));
  AdaptiveTerms without_sums = terms;
  without_sums.score_error = 0;
  EXPECT_GE(without_sums.choice_range(1e-9, 0, 1e6) - exact, terms.relation_factor * 2 * summed);
}

}  // namespace
}  // namespace sotto::test
