// With hardly any noise every solver that minimises the objective ends at its minimum, for every loss it takes. The
// catalogue is walked: a solver that is neither covered nor named as something else does not pass.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "row_table.h"
#include "sotto/base/error.h"
#include "sotto/optim/gradient_sum.h"
#include "sotto/train.h"
#include "test_rows.h"

namespace sotto {
namespace {

using namespace test;

constexpr std::uint64_t kRows = 8000;
constexpr double kLambda = 0.5;
constexpr double kAllowed = 1e-2;
const Budget kHardlyAnyNoise{.epsilon = 1e6, .delta = 1e-6};

/// What does not minimise (1/m) sum l0 + (lambda/2)|w|^2: error counts, a constant, and rows that are
/// rescaled by their moments.
template <class A>
constexpr bool kMinimises =
    !std::is_same_v<A, PrivGene> && !std::is_same_v<A, Majority> && !std::is_same_v<A, WhitenedDpgd>;

/// Settings under which a solver has the steps it needs: all rows in a batch, many passes, one step size.
template <class A>
A settled() {
  A method{};
  if constexpr (std::is_same_v<A, ShardAverage>) method.shards = 1;  // the mean of several minima is another point
  if constexpr (requires { method.sgd; }) {
    method.sgd = {.passes = 20, .batch_rows = kRows, .step = ConstantStep{.step_size = 1}};
  } else if constexpr (requires { method.passes; }) {
    method.passes = 20;
    method.batch_rows = kRows;
    if constexpr (requires { method.step_size; }) method.step_size = 1;
  } else if constexpr (std::is_same_v<A, DpAgd>) {
    method.splits = 40;
    method.step_shrink = 0.5;
    method.loss_clip = 100;
  }
  return method;
}

/// Gradient descent without noise, in the test's own arithmetic.
Vector minimum(Engine& engine, const Loss& loss) {
  const Facts facts = engine.facts();
  GradientSum sum(loss, facts, fine_gradients(loss, facts));
  Vector weights(weight_count(loss, facts), 0.0);
  for (int step = 0; step < 100; ++step) {
    sum.start(weights);
    sum_rows(engine, sum, 1);
    const Vector gradient = SensitiveTestAccess::open(sum.take());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] -= gradient[i] / static_cast<double>(facts.rows) + kLambda * weights[i];
    }
  }
  return weights;
}

/// Losses with a minimum that descent reaches: hinge has none that is smooth.
struct Case {
  Loss loss;
  std::uint32_t classes;
};
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Loss& loss :
       {Loss(Logistic{}), Loss(RobustLogistic{}), Loss(HuberSvm{.huber_width = 0.5}), Loss(Softmax{})}) {
    for (const std::uint32_t classes : {2U, 3U}) all.push_back({loss, classes});
  }
  return all;
}

/// The losses it was trained with; a refusal names the loss or the classes.
template <class A>
std::size_t train_all() {
  std::size_t trained = 0;
  for (const Case& given : cases()) {
    const RowTable table = planted_table(kRows, 4, given.classes);
    RowTableEngine engine(table);
    TrainRequest request;
    request.problem = {given.loss, kLambda};
    request.method = settled<A>();
    request.budget = kHardlyAnyNoise;
    if constexpr (std::is_same_v<A, Cms11>) request.budget.delta = 0;
    BitSource bits(ReproducibleSeed{3});
    try {
      const Model model = train(engine, request, bits);
      EXPECT_LE(distance(model.weights, minimum(engine, given.loss)), kAllowed)
          << A::kName << ", " << name_of(given.loss) << ", " << given.classes << " classes";
      ++trained;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unsupported) << A::kName << ": " << error.what();
      EXPECT_TRUE(error.field() == "loss" || error.field() == "classes") << A::kName << ": " << error.what();
    }
  }
  return trained;
}

TEST(OptimumLaws, EverySolverReachesTheMinimumWhenNoiseIsNearlyNone) {
  for_each_member<Method>([&](auto tag) {
    using A = typename decltype(tag)::type;
    if constexpr (kMinimises<A>) {
      EXPECT_GT(train_all<A>(), 0U) << A::kName;
    }
  });
}

}  // namespace
}  // namespace sotto
