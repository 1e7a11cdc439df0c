// Every engine visits the same rows in the same order: the order of the ScanOrder, bit for bit.
// A new engine is one line in kEngines.
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "sotto/engines/in_memory.h"
#include "sotto/engines/out_of_core.h"
#include "sotto/files/block_file/block_file.h"
#include "sotto/files/block_file/load.h"
#include "sotto/optim/views/weighted_engine.h"
#include "unit/block_file_fixture.h"

namespace sotto {
namespace {

using namespace testing_support;

using MakeEngine = std::unique_ptr<Engine> (*)(const std::string& path);
struct NamedEngine {
  const char* name;
  MakeEngine make;
};
const std::array<NamedEngine, 4> kEngines = {{
    {"in_memory",
     [](const std::string& path) -> std::unique_ptr<Engine> {
       return std::make_unique<InMemoryEngine>(load_rows(BlockFile(path)));
     }},
    {"in_memory_without_copy",
     [](const std::string& path) -> std::unique_ptr<Engine> {
       return std::make_unique<InMemoryEngine>(load_rows(BlockFile(path)), InMemoryOptions{.copy_limit_bytes = 0});
     }},
    {"out_of_core_mapped",
     [](const std::string& path) -> std::unique_ptr<Engine> { return std::make_unique<OutOfCoreEngine>(path); }},
    {"out_of_core_read",
     [](const std::string& path) -> std::unique_ptr<Engine> {
       return std::make_unique<OutOfCoreEngine>(path, OutOfCoreOptions{.memory_mb = 8, .map_file = false});
     }},
}};

/// The bytes of all rows in the order in which they came.
struct Bytes : RowConsumer {
  void add(const void* data, std::size_t size) {
    const auto* from = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), from, from + size);
  }
  void consume(const RowBlock& block) noexcept override {
    for (std::size_t i = 0; i < block.rows; ++i) {
      add(&block.labels[i], sizeof(float));
      if (block.sparse()) {
        const std::uint64_t count = block.offsets[i + 1] - block.offsets[i];
        add(&count, sizeof count);
        add(block.columns + block.offsets[i], count * sizeof(std::uint32_t));
        add(block.values + block.offsets[i], count * sizeof(float));
      } else {
        add(block.dense + i * block.features, block.features * sizeof(float));
      }
    }
    rows += block.rows;
  }
  std::vector<std::byte> bytes;
  std::uint64_t rows = 0;
};

Bytes scanned(Engine& engine, const ScanOrder& order, std::uint32_t pass) {
  Bytes bytes;
  engine.scan(order, pass, bytes);
  return bytes;
}

/// The same pass from the definition: position by position.
Bytes defined(const Dataset& stored, const ScanOrder& order, std::uint32_t pass) {
  Bytes bytes;
  ScanOrder::Window window;
  for (std::uint64_t w = 0; w < order.window_count(stored.facts().rows); ++w) {
    order.window(stored.facts().rows, pass, w, window);
    for (const std::uint64_t row : window.rows) bytes.consume(stored.view().slice(row, 1));
  }
  return bytes;
}

void expect_law(const std::string& path, const ScanOrder& order) {
  const Dataset stored = load_rows(BlockFile(path));
  for (const NamedEngine& named : kEngines) {
    const std::unique_ptr<Engine> engine = named.make(path);
    for (std::uint32_t pass = 0; pass < 4; ++pass) {
      const Bytes reference = defined(stored, order, pass);
      const Bytes bytes = scanned(*engine, order, pass);
      EXPECT_EQ(bytes.rows, stored.facts().rows) << named.name;
      EXPECT_TRUE(bytes.bytes == reference.bytes) << named.name << " pass " << pass << " rows " << stored.facts().rows;
    }
  }
}

class EngineLaws : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(DenseAndSparse, EngineLaws, ::testing::Bool(),
                         [](const auto& kind) { return kind.param ? "sparse" : "dense"; });

TEST_P(EngineLaws, EveryEngineVisitsTheRowsOfAScanOrderInThatOrder) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("rows.sotto");
  constexpr std::uint32_t kFeatures = 50;
  const std::uint32_t block_rows = block_rows_for(kFeatures, GetParam());
  // One row, a block less one row, one block, a block and a row, whole blocks, a short last block.
  for (const std::uint32_t rows : {1U, block_rows - 1, block_rows, block_rows + 1, 10 * block_rows, 1234U}) {
    pack_rows(path, make_rows(rows, kFeatures, GetParam(), rows), kFeatures, GetParam());
    for (const std::uint32_t buffer_rows : {1U, 100U, 300U, 8192U}) {
      ScanOrder order{.block_rows = block_rows, .buffer_rows = buffer_rows, .key = {7, rows, 3, buffer_rows}};
      expect_law(path, order);
      order.fresh = true;
      expect_law(path, order);
      order.kind = ScanOrder::Kind::stored;
      expect_law(path, order);
    }
  }
}

TEST_P(EngineLaws, EveryEngineFeedsTheRowsAtGivenPositions) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("rows.sotto");
  pack_rows(path, make_rows(1234, 50, GetParam(), 3), 50, GetParam());
  const Dataset stored = load_rows(BlockFile(path));
  const std::vector<std::uint64_t> none, some = {0, 1, 2, 5, 600, 601, 1000, 1232, 1233};
  std::vector<std::uint64_t> most;  // more than are handed on at a time
  for (std::uint64_t row = 0; row < 1234; ++row) {
    if (row % 5 != 2) most.push_back(row);
  }
  for (const NamedEngine& named : kEngines) {
    const std::unique_ptr<Engine> engine = named.make(path);
    for (const auto& positions : {none, some, most}) {
      Bytes expected, fed;
      for (const std::uint64_t row : positions) expected.consume(stored.view().slice(row, 1));
      engine->scan_positions(positions, fed);
      EXPECT_EQ(fed.rows, positions.size()) << named.name;
      EXPECT_TRUE(fed.bytes == expected.bytes) << named.name;
    }
  }
}

/// Counts rows whose weight is not their first value.
struct WeightCheck : RowConsumer {
  void consume(const RowBlock& block) noexcept override {
    for (std::size_t i = 0; i < block.rows; ++i) {
      const float first = block.sparse() ? block.values[block.offsets[i]] : block.dense[i * block.features];
      if (block.weights == nullptr || block.weights[i] != first) ++wrong;
    }
    rows += block.rows;
  }
  std::uint64_t rows = 0;
  std::uint64_t wrong = 0;
};

TEST_P(EngineLaws, AWeightStaysWithThePositionOfItsRowInEveryEngineAndOrder) {
  constexpr std::uint32_t kRows = 1234, kFeatures = 3;
  const TemporaryDirectory directory;
  const std::string path = directory.file("rows.sotto");
  std::vector<Row> rows = make_rows(kRows, kFeatures, false);
  for (std::uint32_t i = 0; i < kRows; ++i) {
    if (GetParam()) rows[i].columns = {0, 1, 2};
    rows[i].values = {static_cast<float>(i + 1) * 0x1p-12F, 0.25F, 0.5F};
  }
  pack_rows(path, rows, kFeatures, GetParam());
  std::vector<float> weights;  // by stored position: packing shuffles
  for (const Row& row : stored_rows(path)) weights.push_back(row.values[0]);
  const std::vector<std::uint64_t> some = {0, 1, 2, 5, 600, 601, 1000, 1232, 1233};
  for (const NamedEngine& named : kEngines) {
    const std::unique_ptr<Engine> plain = named.make(path);
    WeightedEngine engine(*plain, weights);
    for (const std::uint32_t buffer_rows : {100U, 8192U}) {
      for (const int kind : {0, 1, 2}) {  // stored, fixed, fresh
        ScanOrder order{.block_rows = engine.block_rows(), .buffer_rows = buffer_rows, .key = {1, 2, 3, 4}};
        if (kind == 0) order.kind = ScanOrder::Kind::stored;
        order.fresh = kind == 2;
        for (std::uint32_t pass = 0; pass < 4; ++pass) {
          WeightCheck check;
          engine.scan(order, pass, check);
          EXPECT_EQ(check.rows, kRows) << named.name;
          EXPECT_EQ(check.wrong, 0U) << named.name << " kind " << kind << " pass " << pass;
        }
      }
    }
    WeightCheck part, chosen;
    engine.scan_rows(100, 700, part);
    EXPECT_EQ(part.rows, 700U);
    EXPECT_EQ(part.wrong, 0U) << named.name;
    engine.scan_positions(some, chosen);
    EXPECT_EQ(chosen.rows, some.size());
    EXPECT_EQ(chosen.wrong, 0U) << named.name;
  }
}

TEST_P(EngineLaws, EveryEngineReportsTheFactsOfTheFile) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("rows.sotto");
  pack_rows(path, make_rows(77, 6, GetParam()), 6, GetParam());
  for (const NamedEngine& named : kEngines) {
    const std::unique_ptr<Engine> engine = named.make(path);
    EXPECT_EQ(engine->facts().rows, 77U);
    EXPECT_EQ(engine->facts().features, 6U);
    EXPECT_EQ(engine->facts().sparse, GetParam());
    EXPECT_EQ(engine->block_rows(), block_rows_for(6, GetParam()));
  }
}

}  // namespace
}  // namespace sotto
