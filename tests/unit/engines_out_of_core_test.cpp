#include <gtest/gtest.h>

#include "sotto/base/error.h"
#include "sotto/engines/out_of_core.h"
#include "sotto/files/block_file/append.h"
#include "sotto/files/block_file/block_file.h"
#include "unit/block_file_fixture.h"

namespace sotto {
namespace {

using namespace testing_support;

struct Recorder : RowConsumer {
  void consume(const RowBlock& block) noexcept override {
    collect(block, rows);
    most = std::max(most, block.rows);
    ++blocks;
    if (then) then();
  }
  std::vector<Row> rows;
  std::size_t most = 0;
  int blocks = 0;
  std::function<void()> then;
};

class OutOfCoreEngineTest : public ::testing::Test {
 protected:
  ScanOrder order_for(const Engine& engine, std::uint32_t buffer_rows = 8192) {
    return {.block_rows = engine.block_rows(), .buffer_rows = buffer_rows, .key = {1, 2, 3, 4}};
  }
  /// The rows in the order of a pass, from the definition.
  std::vector<Row> expected(const ScanOrder& order) {
    const std::vector<Row> stored = stored_rows(path_);
    std::vector<Row> rows;
    ScanOrder::Window window;
    for (std::uint64_t w = 0; w < order.window_count(stored.size()); ++w) {
      order.window(stored.size(), 0, w, window);
      for (const std::uint64_t row : window.rows) rows.push_back(stored[row]);
    }
    return rows;
  }
  void flip_byte(std::uint64_t at) {
    std::vector<std::byte> bytes = file_bytes(path_);
    bytes[at] ^= std::byte{4};
    write_file(path_, bytes);
  }
  TemporaryDirectory directory_;
  std::string path_ = directory_.file("rows.sotto");
};

TEST_F(OutOfCoreEngineTest, AWindowLargerThanTheMemoryIsGatheredInPartsInTheSameOrder) {
  for (const bool sparse : {false, true}) {
    const std::uint32_t features = sparse ? 2000 : 1000;
    pack_rows(path_, make_rows(1500, features, sparse), features, sparse);
    OutOfCoreEngine engine(path_, {.memory_mb = 8, .map_file = false});
    const ScanOrder order = order_for(engine);
    ASSERT_EQ(order.window_count(1500), 1U);
    Recorder recorder;
    engine.scan(order, 0, recorder);
    EXPECT_GT(recorder.blocks, 1);
    EXPECT_LT(recorder.most, 1500U);
    EXPECT_EQ(recorder.rows, expected(order));
  }
}

TEST_F(OutOfCoreEngineTest, NoRowOfADamagedBlockIsUsed) {
  for (const auto kind : {ScanOrder::Kind::stored, ScanOrder::Kind::shuffled}) {
    for (const bool map_file : {false, true}) {
      pack_rows(path_, make_rows(2000, 20, false), 20, false);
      const std::vector<Row> good = stored_rows(path_);
      const std::uint32_t block_rows = BlockFile(path_).block_rows();
      flip_byte(4096 + 3 * BlockFile(path_).max_block_bytes() + 100);
      OutOfCoreEngine engine(path_, {.map_file = map_file});
      ScanOrder order = order_for(engine, block_rows);
      order.kind = kind;
      Recorder recorder;
      try {
        engine.scan(order, 0, recorder);
        FAIL();
      } catch (const Error& e) {
        EXPECT_EQ(e.kind(), ErrorKind::io);
      }
      for (std::size_t i = 3 * block_rows; i < 4 * block_rows; ++i) {
        EXPECT_EQ(std::count(recorder.rows.begin(), recorder.rows.end(), good[i]), 0);
      }
    }
  }
}

TEST_F(OutOfCoreEngineTest, ABlockDamagedAfterItWasReadOnceIsNoticedInTheNextPass) {
  pack_rows(path_, make_rows(2000, 20, false), 20, false);
  OutOfCoreEngine engine(path_, {.map_file = false});
  const ScanOrder order = order_for(engine);
  Recorder recorder;
  engine.scan(order, 0, recorder);
  const std::filesystem::file_time_type time = std::filesystem::last_write_time(path_);
  std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(5000).put('x').flush();
  std::filesystem::last_write_time(path_, time);  // as a failing disk would: no trace but the checksum
  EXPECT_THROW(engine.scan(order, 1, recorder), Error);
}

TEST_F(OutOfCoreEngineTest, AFileReplacedInPlaceDuringTheScanIsAnError) {
  pack_rows(path_, make_rows(5000, 20, false), 20, false);
  const std::vector<std::byte> bytes = file_bytes(path_);
  for (const auto kind : {ScanOrder::Kind::stored, ScanOrder::Kind::shuffled}) {
    OutOfCoreEngine engine(path_, {.map_file = false});
    ScanOrder order = order_for(engine, 500);
    order.kind = kind;
    Recorder recorder;
    engine.scan(order, 0, recorder);
    std::filesystem::last_write_time(path_, std::filesystem::last_write_time(path_) + std::chrono::seconds(1));
    EXPECT_THROW(engine.scan(order, 1, recorder), Error);
  }
}

TEST_F(OutOfCoreEngineTest, RowsThatBreakTheBoundAreZeroInEveryPass) {
  BlockAppender appender(path_, {.facts = {0, 2, 1.0, false}, .block_rows = 1, .file_id = 3, .metadata = {}});
  appender.add_dense(std::vector<float>{3, 4}, 1);
  appender.add_dense(std::vector<float>{0.3F, 0.4F}, -1);
  appender.finish();
  OutOfCoreEngine engine(path_);
  const ScanOrder stored{.kind = ScanOrder::Kind::stored, .block_rows = engine.block_rows()};
  for (std::uint32_t pass = 0; pass < 3; ++pass) {
    Recorder recorder;
    engine.scan(pass == 1 ? order_for(engine) : stored, pass, recorder);
    std::vector<Row> rows = sorted(recorder.rows);
    EXPECT_EQ(rows[1].values, (std::vector<float>{0, 0}));
    EXPECT_EQ(rows[0].values, (std::vector<float>{0.3F, 0.4F}));
    Recorder again;
    engine.scan_rows(0, 2, again);
    EXPECT_EQ(sorted(again.rows), rows);
  }
}

TEST_F(OutOfCoreEngineTest, ABlockFoundSoundBySumsStillHasItsChecksumTested) {
  pack_rows(path_, make_rows(500, 20, false), 20, false);
  for (const bool map_file : {false, true}) {
    const OutOfCoreEngine engine(path_, {.map_file = map_file});
    Recorder recorder;
    engine.scan_rows(0, 500, recorder);
    const auto time = std::filesystem::last_write_time(path_);
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(5000);
    const auto before = static_cast<char>(file.get());
    file.seekp(5000).put(static_cast<char>(before ^ 1)).flush();
    std::filesystem::last_write_time(path_, time);  // no trace but the checksum
    EXPECT_THROW(engine.scan_rows(0, 500, recorder), Error);
    file.seekp(5000).put(before).flush();
    std::filesystem::last_write_time(path_, time);
  }
}

TEST_F(OutOfCoreEngineTest, RefusesOtherBlocksThanTheFilesAndTooLittleMemory) {
  pack_rows(path_, make_rows(100, 20, false), 20, false);
  OutOfCoreEngine engine(path_);
  ScanOrder order = order_for(engine);
  order.block_rows += 1;
  Recorder recorder;
  EXPECT_THROW(engine.scan(order, 0, recorder), Error);
  EXPECT_EQ(recorder.blocks, 0);
  EXPECT_THROW(OutOfCoreEngine(path_, {.memory_mb = 1}), Error);
  EXPECT_THROW(OutOfCoreEngine(directory_.file("absent")), Error);
}

TEST_F(OutOfCoreEngineTest, ReportsTheFactsAndMetadataOfItsFile) {
  pack_rows(path_, make_rows(100, 20, true), 20, true);
  const OutOfCoreEngine engine(path_);
  EXPECT_EQ(engine.facts().rows, 100U);
  EXPECT_TRUE(engine.facts().sparse);
  EXPECT_EQ(engine.block_rows(), kSparseBlockRows);
  EXPECT_EQ(engine.metadata(), BlockFile(path_).metadata());
}

TEST_F(OutOfCoreEngineTest, TheResidentBoundStaysWithinTheMemoryAllowedForOrdinaryOrders) {
  pack_rows(path_, make_rows(20000, 50, false), 50, false);
  for (const bool map_file : {false, true}) {
    const OutOfCoreEngine engine(path_, {.memory_mb = 32, .map_file = map_file});
    EXPECT_LE(engine.resident_bound_bytes(order_for(engine)), std::uint64_t{32} << 20U);
  }
}

}  // namespace
}  // namespace sotto
