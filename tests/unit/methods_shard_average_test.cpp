// Averaged shards: the claim against neighbours at every position, its closed forms, what the average is of, and what
// is refused.
#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/methods/method.h"
#include "sotto/optim/secret_mean.h"
#include "sotto/optim/sensitivity.h"
#include "test_rows.h"

namespace sotto::test {
namespace {

PlanInput input_of(std::uint64_t rows, double lambda, std::uint32_t features = kPairFeatures) {
  return {{rows, features, 1.0, false}, {Logistic{}, lambda}, {.epsilon = 1}};
}

/// What is released, without noise, the rows in the given order in both passes.
Vector average(const ShardAverage& method, const PlanInput& input, const Rows& rows) {
  const std::vector<ShardTask> tasks = method.tasks(input);
  ShardPsgd shards(tasks);
  for (std::uint32_t pass = 0; pass < method.sgd.passes; ++pass) {
    rows.feed(shards, stored_order(rows.size()), 5, false);
  }
  std::vector<double> weights;
  for (const ShardTask& task : tasks) {
    weights.push_back(static_cast<double>(task.facts.rows) / static_cast<double>(rows.size()));
  }
  return SensitiveTestAccess::open(SecretMean::of(std::move(shards).finish(), weights, input.facts.features));
}

TEST(ShardAverage, NeighboursStayWithinTheClaimWhereverTheRowIs) {
  constexpr std::size_t kRows = 23;
  for (const std::vector<std::uint64_t>& sizes : {std::vector<std::uint64_t>{23}, {8, 8, 7}, {1, 15, 7}}) {
    for (const double lambda : {0.0, 0.2}) {
      for (const std::uint64_t batch : {1, 4}) {
        ShardAverage method{.sgd = {.passes = 2, .batch_rows = batch}, .sizes = sizes};
        const PlanInput input = input_of(kRows, lambda);
        const double claim = method.plan(input).l2_sensitivity;
        for (std::size_t position = 0; position < kRows; ++position) {
          for (const Pair& pair : adversarial_pairs(kRows, position, position)) {
            EXPECT_LE(distance(average(method, input, pair.first), average(method, input, pair.second)), claim)
                << pair.name << " at " << position;
          }
        }
      }
    }
  }
}

TEST(ShardAverage, TheClaimIsReachedInTheDearestShard) {
  constexpr std::size_t kRows = 23;
  constexpr std::uint64_t kSizes[] = {4, 12, 7};
  ShardAverage method{.sgd = {.passes = 2, .batch_rows = 1}, .sizes = kSizes};
  // Far out on the linear part of the loss, where a hit is never forgotten and never bent.
  const PlanInput input{{kRows, 1, 1e-3, false}, {HuberSvm{0.1}, 0.0}, {.epsilon = 1}};
  double largest = 0;
  for (std::size_t position = 0; position < kRows; ++position) {
    Rows first(kRows, 1, 1e-3), second(kRows, 1, 1e-3);
    for (std::size_t i = 0; i < kRows; ++i) first.set(i, {{0}, 1}), second.set(i, {{0}, 1});
    first.set(position, {{1e-3}, 1});
    second.set(position, {{1e-3}, -1});
    largest = std::max(largest, distance(average(method, input, first), average(method, input, second)));
  }
  const double claim = method.plan(input).l2_sensitivity;
  EXPECT_LE(largest, claim);
  EXPECT_GE(largest, 0.99 * claim);  // spec 9a
}

TEST(ShardAverage, EqualShardsDivideTheConvexBoundByTheirNumber) {
  const PlanInput input = input_of(1000, 0);
  const SgdOptions sgd{.passes = 3, .batch_rows = 10, .step = ConstantStep{}};
  const double one = BoltOn{.sgd = sgd}.plan(input).l2_sensitivity;
  for (const std::uint32_t shards : {1U, 2U, 5U, 10U}) {
    const Recipe whole = make_recipe(sgd, input.problem, input.facts);
    const ShardAverage method{.shards = shards, .sgd = sgd};
    const Recipe part = method.tasks(input).front().recipe;
    EXPECT_NEAR(method.plan(input).l2_sensitivity, one * part.step(1) / whole.step(1) / shards, 1e-7 * one) << shards;
  }
}

TEST(ShardAverage, StronglyConvexShardsCostWhatOneMachineDoes) {
  const PlanInput input = input_of(1000, 0.1);
  const SgdOptions sgd{.passes = 3, .batch_rows = 10};
  const double one = BoltOn{.sgd = sgd}.plan(input).l2_sensitivity;
  EXPECT_NEAR(ShardAverage({.shards = 5, .sgd = sgd}).plan(input).l2_sensitivity, one, 1e-3 * one);
}

TEST(ShardAverage, OneShardIsPermutationSgd) {
  Rows rows(17, kPairFeatures);
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < 17; ++i) rows.set(i, random_row(random, 1));
  const PlanInput input = input_of(17, 0.1);
  const ShardAverage method{.shards = 1, .sgd = {.passes = 2, .batch_rows = 3}};
  Psgd psgd(method.tasks(input).front().recipe, input.facts);
  for (int pass = 0; pass < 2; ++pass) rows.feed(psgd, stored_order(17), 4, false);
  EXPECT_EQ(average(method, input, rows), SensitiveTestAccess::open(std::move(psgd).finish()));
}

TEST(ShardAverage, AShardSeesItsOwnRowsOnly) {
  Rows rows(12, kPairFeatures), other(12, kPairFeatures);
  for (std::size_t i = 0; i < 12; ++i) {
    rows.set(i, {{0.5, 0.1, 0}, 1});
    other.set(i, i < 4 ? Row{{0.5, 0.1, 0}, 1} : Row{{0, 0, 0.7}, -1});
  }
  const ShardAverage method{.shards = 3, .sgd = {.passes = 2, .batch_rows = 2}};
  const PlanInput input = input_of(12, 0.1);
  const auto first_shard = [&](const Rows& table) {
    ShardPsgd shards(method.tasks(input));
    for (int pass = 0; pass < 2; ++pass) table.feed(shards, stored_order(12), 5, false);
    return SensitiveTestAccess::open(std::move(std::move(shards).finish().front()));
  };
  EXPECT_EQ(first_shard(rows), first_shard(other));
}

TEST(ShardAverage, RefusesWhatWouldMoveRowsBetweenShardsAndSizesThatDoNotAddUp) {
  const auto field_of = [](const ShardAverage& method, PlanInput input = input_of(100, 0.1)) -> std::string {
    try {
      method.plan(input);
    } catch (const Error& e) {
      return std::string(e.field());
    }
    return "";
  };
  EXPECT_EQ(field_of({}), "");
  EXPECT_EQ(field_of({.sgd = {.order = RowOrder::fresh}}), "order");
  EXPECT_EQ(field_of({.shards = 0}), "shards");
  EXPECT_EQ(field_of({.shards = 101}), "shards");
  EXPECT_EQ(field_of({.shards = 4096}, input_of(5000, 0.1)), "");
  EXPECT_EQ(field_of({.shards = 4097}, input_of(5000, 0.1)), "shards");
  EXPECT_EQ(field_of({.shards = 4096}, input_of(5000, 0.1, 8193)), "shards") << "more weights than are held at once";
  const std::vector<std::uint64_t> many(4097, 1);
  EXPECT_EQ(field_of({.sizes = many}, input_of(4097, 0.1)), "shards");
  constexpr std::uint64_t kShort[] = {50, 49}, kEmpty[] = {100, 0};
  EXPECT_EQ(field_of({.sizes = kShort}), "sizes");
  EXPECT_EQ(field_of({.sizes = kEmpty}), "sizes");
  PlanInput removed = input_of(100, 0.1);
  removed.budget.relation = Relation::add_remove;
  EXPECT_EQ(field_of({}, removed), "relation");
}

TEST(ShardAverage, TheMeanOfSecretsTakesTheShapeItWasPlannedWith) {
  std::vector<Sensitive<Vector>> two;
  two.emplace_back(Vector{1, 2});
  two.emplace_back(Vector{3, 6});
  const double weights[] = {0.25, 0.75};
  EXPECT_EQ(SensitiveTestAccess::open(SecretMean::of(std::move(two), weights, 2)), (Vector{2.5, 5}));
  std::vector<Sensitive<Vector>> wrong;
  wrong.emplace_back(Vector{1, 2});
  wrong.emplace_back(Vector{1});
  EXPECT_THROW(SecretMean::of(std::move(wrong), weights, 2), Error);
}

}  // namespace
}  // namespace sotto::test
