#include <gtest/gtest.h>

#include "sotto/base/error.h"
#include "sotto/engines/in_memory.h"
#include "sotto/files/block_file/load.h"
#include "unit/block_file_fixture.h"

namespace sotto {
namespace {

using namespace testing_support;

struct Recorder : RowConsumer {
  void consume(const RowBlock& block) noexcept override {
    ++blocks;
    first = block.dense;
    collect(block, rows);
  }
  int blocks = 0;
  const float* first = nullptr;
  std::vector<Row> rows;
};

Recorder scanned(Engine& engine, const ScanOrder& order, std::uint32_t pass = 0) {
  Recorder recorder;
  engine.scan(order, pass, recorder);
  return recorder;
}

class InMemoryEngineTest : public ::testing::Test {
 protected:
  InMemoryEngineTest() {
    loaded_.facts = {300, 5, 1.0, false};
    for (const Row& row : make_rows(300, 5, false)) {
      loaded_.dense.insert(loaded_.dense.end(), row.values.begin(), row.values.end());
      loaded_.labels.push_back(row.label);
    }
  }
  ScanOrder shuffled_{.block_rows = 7, .buffer_rows = 50, .key = {1, 2, 3, 4}};
  ScanOrder stored_{.kind = ScanOrder::Kind::stored};
  LoadedRows loaded_;
};

TEST_F(InMemoryEngineTest, TheStoredOrderIsOneBlockWithoutACopy) {
  InMemoryEngine engine(loaded_.facts, loaded_.rows());
  const Recorder recorder = scanned(engine, stored_);
  EXPECT_EQ(recorder.blocks, 1);
  EXPECT_EQ(recorder.first, loaded_.dense.data());
  EXPECT_EQ(recorder.rows.size(), 300U);
}

TEST_F(InMemoryEngineTest, AShuffledScanFollowsItsWindows) {
  InMemoryEngine engine(loaded_.facts, loaded_.rows());
  std::vector<Row> stored;
  collect(loaded_.rows(), stored);
  for (const bool fresh : {false, true}) {
    shuffled_.fresh = fresh;
    for (std::uint32_t pass = 0; pass < 4; ++pass) {
      std::vector<Row> expected;
      ScanOrder::Window window;
      for (std::uint64_t w = 0; w < shuffled_.window_count(300); ++w) {
        shuffled_.window(300, pass, w, window);
        for (const std::uint64_t row : window.rows) expected.push_back(stored[row]);
      }
      EXPECT_EQ(scanned(engine, shuffled_, pass).rows, expected) << pass;
    }
  }
}

TEST_F(InMemoryEngineTest, AFixedOrderScannedAgainIsKeptAsACopy) {
  InMemoryEngine engine(loaded_.facts, loaded_.rows());
  EXPECT_GT(scanned(engine, shuffled_, 0).blocks, 1);
  EXPECT_GT(scanned(engine, shuffled_, 1).blocks, 1);
  EXPECT_EQ(scanned(engine, shuffled_, 2).blocks, 1);
  ScanOrder other = shuffled_;
  other.key[3] = 9;
  EXPECT_GT(scanned(engine, other, 0).blocks, 1);
  EXPECT_GT(scanned(engine, shuffled_, 3).blocks, 1);
}

TEST_F(InMemoryEngineTest, NoCopyIsKeptBeyondTheLimitOrForFreshOrders) {
  InMemoryEngine small(loaded_.facts, loaded_.rows(), nullptr, {.copy_limit_bytes = 100});
  InMemoryEngine large(loaded_.facts, loaded_.rows());
  ScanOrder fresh = shuffled_;
  fresh.fresh = true;
  for (std::uint32_t pass = 0; pass < 4; ++pass) {
    EXPECT_GT(scanned(small, shuffled_, pass).blocks, 1);
    EXPECT_GT(scanned(large, fresh, pass).blocks, 1);
  }
}

TEST_F(InMemoryEngineTest, HasTheBlocksABlockFileWouldHave) {
  EXPECT_EQ(InMemoryEngine(loaded_.facts, loaded_.rows()).block_rows(), block_rows_for(5, false));
  EXPECT_EQ(InMemoryEngine(loaded_.facts, loaded_.rows()).facts().rows, 300U);
}

TEST_F(InMemoryEngineTest, RefusesRowsThatAreNotWhatTheFactsSay) {
  Facts facts = loaded_.facts;
  facts.rows = 299;
  EXPECT_THROW(InMemoryEngine(facts, loaded_.rows()), Error);
  facts = loaded_.facts;
  facts.features = 6;
  EXPECT_THROW(InMemoryEngine(facts, loaded_.rows()), Error);
  facts = loaded_.facts;
  facts.sparse = true;
  EXPECT_THROW(InMemoryEngine(facts, loaded_.rows()), Error);
}

TEST_F(InMemoryEngineTest, KeepsTheOwnerOfItsRowsAlive) {
  auto owner = std::make_shared<LoadedRows>(loaded_);
  const std::weak_ptr<LoadedRows> watch = owner;
  {
    InMemoryEngine engine(owner->facts, owner->rows(), owner);
    owner.reset();
    EXPECT_FALSE(watch.expired());
    EXPECT_EQ(scanned(engine, stored_).rows.size(), 300U);
  }
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace sotto
