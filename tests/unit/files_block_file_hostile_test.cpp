// Files made to deceive: every checksum is right, what they say is not.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/files/block_file/append.h"
#include "sotto/files/block_file/block_file.h"
#include "sotto/files/block_file/load.h"
#include "unit/block_file_fixture.h"

namespace sotto {
namespace {

using namespace testing_support;

constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t kLarge = std::numeric_limits<std::uint32_t>::max();

class HostileFile : public ::testing::Test {
 protected:
  void write_with(const BlockFileHeader& header, std::vector<std::byte> bytes) {
    const std::vector<std::byte> head = encode_header(header);
    std::copy(head.begin(), head.end(), bytes.begin());
    write_file(path_, bytes);
  }
  void expect_refused(const char* what) {
    try {
      load_rows(BlockFile(path_));
      ADD_FAILURE() << what;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::io) << what;
    }
  }
  BlockFileHeader header_of(const std::vector<std::byte>& bytes) { return decode_header(bytes); }

  TemporaryDirectory directory_;
  std::string path_ = directory_.file("rows.sotto");
};

TEST_F(HostileFile, ImpossibleFactsAreRefusedWithoutOverflow) {
  for (const bool sparse : {false, true}) {
    pack_rows(path_, make_rows(70, 5, sparse), 5, sparse);
    const std::vector<std::byte> good = file_bytes(path_);
    const std::vector<std::pair<const char*, std::function<void(BlockFileHeader&)>>> lies = {
        {"no rows", [](auto& h) { h.facts.rows = 0; }},
        {"one row too many", [](auto& h) { h.facts.rows += h.block_rows; }},
        {"all the rows there are", [](auto& h) { h.facts.rows = kHuge; }},
        {"rows that overflow", [](auto& h) { h.facts.rows = kHuge / 16; }},
        {"no features", [](auto& h) { h.facts.features = 0; }},
        {"a block of no rows", [](auto& h) { h.block_rows = 0; }},
        {"blocks larger than the file", [](auto& h) { h.block_rows = kLarge; }},
        {"everything large",
         [](auto& h) {
           h.facts = {kHuge, kLarge, 1, h.facts.sparse}, h.block_rows = kLarge;
         }},
        {"norm not a number", [](auto& h) { h.facts.data_norm = std::nan(""); }},
        {"infinite norm", [](auto& h) { h.facts.data_norm = std::numeric_limits<double>::infinity(); }},
        {"negative norm", [](auto& h) { h.facts.data_norm = -1; }},
        {"one class", [](auto& h) { h.facts.classes = 1; }},
        {"too many classes", [](auto& h) { h.facts.classes = kMaxClasses + 1; }},
        {"another kind", [](auto& h) { h.facts.sparse = !h.facts.sparse; }},
        {"another size", [](auto& h) { h.file_bytes = kHuge; }},
        {"index elsewhere", [](auto& h) { h.index_offset = kHuge - 63; }},
        {"index at the start", [](auto& h) { h.index_offset = 64; }},
        {"index of another checksum", [](auto& h) { h.index_checksum ^= 1; }},
        {"another identity", [](auto& h) { ++h.file_id; }},
    };
    for (const auto& [what, lie] : lies) {
      BlockFileHeader header = header_of(good);
      lie(header);
      write_with(header, good);
      expect_refused(what);
    }
  }
}

TEST_F(HostileFile, MoreFeaturesThanTheBlocksHoldAreRefused) {
  pack_rows(path_, make_rows(70, 5, false), 5, false);
  const std::vector<std::byte> good = file_bytes(path_);
  BlockFileHeader header = header_of(good);
  header.facts.features = kLarge;
  write_with(header, good);
  expect_refused("features");
}

/// One sparse block of one row, edited before it is sealed again.
void edit_sparse_block(const std::string& path, const std::function<void(std::byte*)>& edit) {
  BlockAppender appender(path, {.facts = {0, 10, 1.0, true}, .block_rows = 1, .file_id = 3, .metadata = {}});
  appender.add_sparse(std::vector<std::uint32_t>{1, 4, 7}, std::vector<float>{0.1F, 0.2F, 0.3F}, 1);
  appender.finish();
  std::vector<std::byte> bytes = file_bytes(path);
  const std::size_t size = BlockFile(path).max_block_bytes();
  edit(bytes.data() + 4096);
  seal_block(std::span(bytes).subspan(4096, size), 3);
  write_file(path, bytes);
}

TEST_F(HostileFile, SparseBlocksThatPointOutsideAreRefused) {
  const std::size_t columns_at = 8 * 33 + 4 * 32;
  const auto put = [](std::size_t at, auto value) {
    return [=](std::byte* block) { std::memcpy(block + at, &value, sizeof value); };
  };
  edit_sparse_block(path_, put(columns_at, std::uint32_t{1}));
  EXPECT_NO_THROW(load_rows(BlockFile(path_)));
  edit_sparse_block(path_, put(columns_at + 8, std::uint32_t{10}));
  expect_refused("a column beyond the features");
  edit_sparse_block(path_, put(columns_at, kLarge));
  expect_refused("the largest column there is");
  edit_sparse_block(path_, put(columns_at, std::uint32_t{4}));
  expect_refused("a column that comes twice");
  edit_sparse_block(path_, put(8, std::uint64_t{4}));
  expect_refused("a row that ends after the next begins");
  edit_sparse_block(path_, put(0, std::uint64_t{1}));
  expect_refused("a first row that begins late");
  edit_sparse_block(path_, put(8 * 32, kHuge));
  expect_refused("entries without end");
  edit_sparse_block(path_, put(8 * 32, kHuge / 8 + 1));
  expect_refused("entries whose size overflows");
}

TEST_F(HostileFile, ColumnsBeyondTheFeaturesAreRefusedOnTrustedReadsToo) {
  edit_sparse_block(path_, [](std::byte* block) {
    const std::uint32_t column = 10;
    std::memcpy(block + 8 * 33 + 4 * 32 + 8, &column, 4);
  });
  const BlockFile file(path_);
  BlockStorage storage;
  storage.reserve(file.max_block_bytes());
  EXPECT_THROW(file.read_block(file.locate(0), storage.bytes(), BlockFile::Values::trust), Error);
}

TEST_F(HostileFile, RowsThatBreakTheDeclaredBoundBecomeTheZeroRow) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<std::pair<std::vector<float>, float>> bad = {
      {{nan, 0}, 1}, {{infinity, 0}, -1}, {{0.8F, 0.8F}, -1}, {{0.1F, 0.1F}, 5}, {{0.1F, 0.1F}, nan}};
  for (const double norm : {1.0, std::numeric_limits<double>::max()}) {
    for (const bool sparse : {false, true}) {
      BlockAppender appender(path_, {.facts = {0, 2, norm, sparse}, .block_rows = 1, .file_id = 3, .metadata = {}});
      for (const auto& [values, label] : bad) {
        if (sparse) {
          appender.add_sparse(std::vector<std::uint32_t>{0, 1}, values, label);
        } else {
          appender.add_dense(values, label);
        }
      }
      if (sparse) {
        appender.add_sparse(std::vector<std::uint32_t>{0, 1}, std::vector<float>{0.6F, 0.8F}, -1);
      } else {
        appender.add_dense(std::vector<float>{0.6F, 0.8F}, -1);
      }
      appender.finish();
      const std::vector<Row> rows = stored_rows(path_);
      ASSERT_EQ(rows.size(), 6U);
      for (std::size_t i = 0; i < 5; ++i) {
        if (i == 2 && norm > 1) continue;
        EXPECT_EQ(rows[i].values, (std::vector<float>{0, 0})) << i;
        EXPECT_EQ(rows[i].label, 1.0F);
      }
      EXPECT_EQ(rows[5].values, (std::vector<float>{0.6F, 0.8F}));
      EXPECT_EQ(rows[5].label, -1.0F);
    }
  }
}

}  // namespace
}  // namespace sotto
