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
    for (const Row& row : make_rows(300, 5, false)) {
      loaded_.append({.rows = 1, .features = 5, .labels = &row.label, .dense = row.values.data()});
    }
  }
  ScanOrder shuffled_{.block_rows = 7, .buffer_rows = 50, .key = {1, 2, 3, 4}};
  ScanOrder stored_{.kind = ScanOrder::Kind::stored};
  Dataset loaded_{Facts{300, 5, 1.0, false}};
};

TEST_F(InMemoryEngineTest, TheStoredOrderIsOneBlockWithoutACopy) {
  InMemoryEngine engine(loaded_.facts(), loaded_.view());
  const Recorder recorder = scanned(engine, stored_);
  EXPECT_EQ(recorder.blocks, 1);
  EXPECT_EQ(recorder.first, loaded_.view().dense);
  EXPECT_EQ(recorder.rows.size(), 300U);
}

TEST_F(InMemoryEngineTest, AShuffledScanFollowsItsWindows) {
  InMemoryEngine engine(loaded_.facts(), loaded_.view());
  std::vector<Row> stored;
  collect(loaded_.view(), stored);
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
  InMemoryEngine engine(loaded_.facts(), loaded_.view());
  EXPECT_GT(scanned(engine, shuffled_, 0).blocks, 1);
  EXPECT_GT(scanned(engine, shuffled_, 1).blocks, 1);
  EXPECT_EQ(scanned(engine, shuffled_, 2).blocks, 1);
  ScanOrder other = shuffled_;
  other.key[3] = 9;
  EXPECT_GT(scanned(engine, other, 0).blocks, 1);
  EXPECT_GT(scanned(engine, shuffled_, 3).blocks, 1);
}

TEST_F(InMemoryEngineTest, NoCopyIsKeptBeyondTheLimitOrForFreshOrders) {
  InMemoryEngine small(loaded_.facts(), loaded_.view(), nullptr, {.copy_limit_bytes = 100});
  InMemoryEngine large(loaded_.facts(), loaded_.view());
  ScanOrder fresh = shuffled_;
  fresh.fresh = true;
  for (std::uint32_t pass = 0; pass < 4; ++pass) {
    EXPECT_GT(scanned(small, shuffled_, pass).blocks, 1);
    EXPECT_GT(scanned(large, fresh, pass).blocks, 1);
  }
}

TEST_F(InMemoryEngineTest, HasTheBlocksABlockFileWouldHave) {
  EXPECT_EQ(InMemoryEngine(loaded_.facts(), loaded_.view()).block_rows(), block_rows_for(5, false));
  EXPECT_EQ(InMemoryEngine(loaded_.facts(), loaded_.view()).facts().rows, 300U);
}

TEST_F(InMemoryEngineTest, RefusesRowsThatAreNotWhatTheFactsSay) {
  Facts facts = loaded_.facts();
  facts.rows = 299;
  EXPECT_THROW(InMemoryEngine(facts, loaded_.view()), Error);
  facts = loaded_.facts();
  facts.features = 6;
  EXPECT_THROW(InMemoryEngine(facts, loaded_.view()), Error);
  facts = loaded_.facts();
  facts.sparse = true;
  EXPECT_THROW(InMemoryEngine(facts, loaded_.view()), Error);
}

TEST_F(InMemoryEngineTest, KeepsTheOwnerOfItsRowsAlive) {
  auto owner = std::make_shared<Dataset>(loaded_);
  const std::weak_ptr<Dataset> watch = owner;
  {
    InMemoryEngine engine(owner->facts(), owner->view(), owner);
    owner.reset();
    EXPECT_FALSE(watch.expired());
    EXPECT_EQ(scanned(engine, stored_).rows.size(), 300U);
  }
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace sotto
