// Training end to end on a table in memory: what leaves is the release of the plan, and stamps follow the model.
#include <gtest/gtest.h>

#include "planned.h"
#include "sotto/base/error.h"
#include "sotto/train.h"
#include "test_rows.h"

namespace sotto::test {
namespace {

/// Feeds the rows as stored, whatever order is asked for.
class TableEngine final : public Engine {
 public:
  explicit TableEngine(const Rows& rows) : rows_(rows) {}
  Facts facts() const override { return rows_.facts(); }
  std::uint32_t block_rows() const override { return 1; }
  void scan(const ScanOrder& order, std::uint32_t, RowConsumer& consumer) override {
    fresh_ = order.fresh;
    stored_ = order.kind == ScanOrder::Kind::stored;
    key_ = order.key;
    rows_.feed(consumer, stored_order(rows_.size()), 17, false);
  }
  void scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const override {
    Order order(count);
    std::iota(order.begin(), order.end(), static_cast<std::size_t>(first));
    rows_.feed(consumer, order, 17, false);
  }
  bool fresh_ = false, stored_ = false;
  decltype(ScanOrder::key) key_{};

 private:
  const Rows& rows_;
};

Rows table() {
  Rows rows(60, 2);
  for (std::size_t i = 0; i < 60; ++i) {
    const double side = i % 2 == 0 ? 1 : -1;
    rows.set(i, {{0.8 * side, 0.1}, static_cast<float>(side)});
  }
  return rows;
}

TrainRequest request_of(const Method& method) {
  TrainRequest request;
  request.problem = {Logistic{}, 0.1};
  request.method = method;
  request.budget = {.epsilon = 1};
  return request;
}

TEST(Train, BoltOnReleasesTheWeightsOfTheRecipeThroughTheCurator) {
  const Rows rows = table();
  TableEngine engine(rows);
  const TrainRequest request = request_of(BoltOn{.sgd = {.passes = 2, .batch_rows = 7}});
  BitSource bits(ReproducibleSeed{3});
  const Model model = train(engine, request, bits);

  const Plan plan = make_plan(request.method, {rows.facts(), request.problem, request.budget});
  BitSource same(ReproducibleSeed{3});
  Curator curator(same);
  curator.charge(plan.charges.front());
  const Vector expected = curator.release(Sensitive<Vector>(run(recipe_of(plan), rows)), plan.noise->mechanism);
  EXPECT_EQ(model.weights, expected);
  EXPECT_NE(model.weights, run(recipe_of(plan), rows));
  EXPECT_FALSE(model.card.is_private) << "a seeded source stamps the model";
}

TEST(Train, ARealSourceGivesAPrivateModelWithNoiseThatNeverRepeats) {
  const Rows rows = table();
  TableEngine engine(rows);
  for (const Method& method : {Method(BoltOn{}), Method(Scs13{})}) {
    BitSource bits;
    const Model one = train(engine, request_of(method), bits), other = train(engine, request_of(method), bits);
    EXPECT_TRUE(one.card.is_private);
    EXPECT_TRUE(one.card.not_private_because.empty());
    EXPECT_NE(one.weights, other.weights);
    EXPECT_EQ(one.card.epsilon, 1);
  }
}

TEST(Train, NoiselessModelsAndReasonsOfTheCallerAreStamped) {
  const Rows rows = table();
  TableEngine engine(rows);
  BitSource bits;
  EXPECT_FALSE(train(engine, request_of(Noiseless{}), bits).card.is_private);
  TrainRequest request = request_of(BoltOn{});
  request.not_private = {"bounds were taken from the data"};
  const Model model = train(engine, request, bits);
  EXPECT_FALSE(model.card.is_private);
  EXPECT_EQ(model.card.not_private_because, request.not_private);
  EXPECT_FALSE(train(engine, request_of(BoltOn{.calibration = Calibration::published}), bits).card.is_private);
}

TEST(Train, TheOrderFollowsThePlan) {
  const Rows rows = table();
  TableEngine engine(rows);
  BitSource bits;
  train(engine, request_of(BoltOn{.sgd = {.order = RowOrder::fresh}}), bits);
  EXPECT_TRUE(engine.fresh_ && !engine.stored_);
  train(engine, request_of(BoltOn{.sgd = {.order = RowOrder::stored}}), bits);
  EXPECT_TRUE(!engine.fresh_ && engine.stored_);
  train(engine, request_of(BoltOn{}), bits);
  EXPECT_TRUE(!engine.fresh_ && !engine.stored_);
}

TEST(Train, TheSeedOfTheOrderRepeatsItForEveryMethodThatShuffles) {
  const Rows rows = table();
  BitSource bits;
  for (const Method& method :
       {Method(BoltOn{}), Method(Scs13{}), Method(Correlated{}), Method(ShardAverage{.shards = 2})}) {
    TrainRequest request = request_of(method);
    request.budget.delta = 1e-6;
    const auto key_with = [&](std::optional<std::uint64_t> seed) {
      TableEngine engine(rows);
      request.order_seed = seed;
      train(engine, request, bits);
      return engine.key_;
    };
    EXPECT_EQ(key_with(7), key_with(7));
    EXPECT_NE(key_with(7), key_with(8));
    EXPECT_NE(key_with(std::nullopt), key_with(std::nullopt));
  }
}

/// Loses the last rows of every pass.
class ShortEngine final : public Engine {
 public:
  explicit ShortEngine(const Rows& rows) : rows_(rows) {}
  Facts facts() const override { return rows_.facts(); }
  std::uint32_t block_rows() const override { return 1; }
  void scan(const ScanOrder&, std::uint32_t, RowConsumer& consumer) override {
    rows_.feed(consumer, stored_order(rows_.size() - 20), 17, false);
  }
  void scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const override {
    Order order(count);
    std::iota(order.begin(), order.end(), static_cast<std::size_t>(first));
    rows_.feed(consumer, order, 17, false);
  }

 private:
  const Rows& rows_;
};

TEST(Train, AnEngineThatFeedsTooFewRowsIsAnErrorAndNothingIsReleased) {
  const Rows rows = table();
  ShortEngine engine(rows);
  BitSource bits;
  EXPECT_THROW(train(engine, request_of(Scs13{}), bits), Error);
  EXPECT_THROW(train(engine, request_of(BoltOn{}), bits), Error);
}

TEST(Train, ProgressIsAFunctionOfCounts) {
  const Rows rows = table();
  TableEngine engine(rows);
  BitSource bits;
  TrainRequest request = request_of(BoltOn{.sgd = {.passes = 2}});
  std::vector<double> seen;
  request.progress = [&](double fraction) { seen.push_back(fraction); };
  train(engine, request, bits);
  ASSERT_EQ(seen.size(), 8U);
  EXPECT_DOUBLE_EQ(seen.back(), 1);
}

}  // namespace
}  // namespace sotto::test
