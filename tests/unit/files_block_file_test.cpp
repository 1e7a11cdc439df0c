#include <gtest/gtest.h>

#include <limits>

#include "sotto/base/error.h"
#include "sotto/files/block_file/append.h"
#include "sotto/files/block_file/block_file.h"
#include "sotto/files/block_file/load.h"
#include "unit/block_file_fixture.h"

namespace sotto {
namespace {

using namespace testing_support;

class BlockFileTest : public ::testing::TestWithParam<bool> {
 protected:
  TemporaryDirectory directory_;
  std::string path_ = directory_.file("rows.sotto");
};
INSTANTIATE_TEST_SUITE_P(DenseAndSparse, BlockFileTest, ::testing::Bool(),
                         [](const auto& kind) { return kind.param ? "sparse" : "dense"; });

TEST_P(BlockFileTest, GivesBackEveryRowBitForBitWithItsFacts) {
  for (const std::size_t count : {1U, 31U, 32U, 33U, 1000U}) {
    const std::vector<Row> rows = make_rows(count, 9, GetParam());
    const Facts facts = pack_rows(path_, rows, 9, GetParam());
    const BlockFile file(path_);
    EXPECT_EQ(facts.rows, count);
    EXPECT_EQ(file.facts().rows, count);
    EXPECT_EQ(file.facts().features, 9U);
    EXPECT_EQ(file.facts().sparse, GetParam());
    EXPECT_EQ(file.facts().data_norm, 1.0);
    EXPECT_EQ(file.metadata(), R"({"label":"y","bounds":"declared"})");
    EXPECT_EQ(sorted(stored_rows(path_)), sorted(rows));
  }
}

TEST_P(BlockFileTest, GivesBackTheLabelsOfManyClasses) {
  for (const std::uint32_t classes : {3U, 10U, kMaxClasses}) {
    std::vector<Row> rows = make_rows(100, 9, GetParam());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].label = static_cast<float>((i * 41) % classes);
    const BlockFileSpec spec{.features = 9, .sparse = GetParam(), .metadata = "{}", .classes = classes};
    EXPECT_EQ(pack_rows(path_, rows, spec).classes, classes);
    EXPECT_EQ(BlockFile(path_).facts().classes, classes);
    EXPECT_EQ(BlockFile(path_).facts().sparse, GetParam());
    EXPECT_EQ(sorted(stored_rows(path_)), sorted(rows));
  }
}

TEST_P(BlockFileTest, ARowOfNoClassBecomesTheZeroRow) {
  // Written as a file of ten classes, then declared to have three: every other label is unsound.
  std::vector<Row> rows = make_rows(40, 9, GetParam());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].label = static_cast<float>(i % 10);
  pack_rows(path_, rows, {.features = 9, .sparse = GetParam(), .metadata = "{}", .classes = 10});
  std::vector<std::byte> bytes = file_bytes(path_);
  bytes[29] = std::byte{3};  // the number of classes: bits 8 to 31 of the flags at byte 28
  const std::uint64_t sum = checksum(std::span(bytes).first(4096).subspan(16), 0);
  std::memcpy(bytes.data() + 8, &sum, 8);
  write_file(path_, bytes);
  std::size_t replaced = 0;
  for (const Row& row : stored_rows(path_)) {
    const bool zero = std::ranges::all_of(row.values, [](float v) { return v == 0; });
    EXPECT_TRUE(is_label(row.label, 3));
    EXPECT_TRUE(!zero || row.label == 1);
    replaced += zero ? 1U : 0U;
  }
  EXPECT_EQ(replaced, 28U);
}

TEST_P(BlockFileTest, ReadsTheSameMappedOrNot) {
  pack_rows(path_, make_rows(500, 6, GetParam()), 6, GetParam());
  const BlockFile mapped(path_, std::numeric_limits<std::uint64_t>::max());
  const BlockFile unmapped(path_, 0);
  ASSERT_TRUE(mapped.mapped());
  ASSERT_FALSE(unmapped.mapped());
  std::vector<Row> a;
  std::vector<Row> b;
  collect(load_rows(mapped).view(), a);
  collect(load_rows(unmapped).view(), b);
  EXPECT_EQ(a, b);
}

TEST_P(BlockFileTest, AChangedRowMovesNoOtherRow) {
  std::vector<Row> rows = make_rows(200, 12, GetParam());
  pack_rows(path_, rows, 12, GetParam());
  const std::vector<Row> before = stored_rows(path_);
  const Row old = rows[77];
  if (GetParam()) rows[77].columns.resize(1);
  rows[77].values.resize(GetParam() ? 1 : 12);
  rows[77].values[0] = 0.0625F;
  pack_rows(path_, rows, 12, GetParam());
  const std::vector<Row> after = stored_rows(path_);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i], before[i] == old ? rows[77] : before[i]) << i;
  }
}

void expect_io_error(const std::string& path, const std::string& what) {
  try {
    stored_rows(path);
    ADD_FAILURE() << what << " was not noticed";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::io) << what << ": " << e.what();
  }
}

TEST_P(BlockFileTest, EveryFlippedBitIsNoticedBeforeARowIsUsed) {
  pack_rows(path_, make_rows(70, 30, GetParam()), 30, GetParam());
  const std::vector<std::byte> good = file_bytes(path_);
  std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&](std::size_t at, std::byte value) {
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(value));
    file.flush();
  };
  for (std::size_t i = 0; i < good.size(); ++i) {
    put(i, good[i] ^ std::byte{1} << (i % 8));
    expect_io_error(path_, "a flipped bit in byte " + std::to_string(i));
    put(i, good[i]);
  }
  EXPECT_EQ(stored_rows(path_).size(), 70U);
}

TEST_P(BlockFileTest, AFileCutAnywhereOrLengthenedIsRefusedOnOpening) {
  pack_rows(path_, make_rows(70, 30, GetParam()), 30, GetParam());
  const std::uint64_t whole = BlockFile(path_).file_bytes();
  const auto refused_at = [&](std::uint64_t length) {
    std::filesystem::resize_file(path_, length);
    EXPECT_THROW(BlockFile{path_}, Error) << length;
  };
  refused_at(whole + 1);
  refused_at(whole + 64);
  for (std::uint64_t length = whole; length-- > 0;) {
    if (length < 200 || length % 32 == 31 || length % 64 == 0) refused_at(length);
  }
}

TEST_P(BlockFileTest, AFileWrittenToWhileOpenIsNoticed) {
  pack_rows(path_, make_rows(70, 3, GetParam()), 3, GetParam());
  const BlockFile file(path_);
  EXPECT_NO_THROW(file.require_unchanged());
  std::filesystem::resize_file(path_, file.file_bytes() - 1);
  EXPECT_THROW(file.require_unchanged(), Error);
  BlockStorage storage;
  storage.reserve(file.max_block_bytes());
  EXPECT_THROW(
      {
        for (std::uint64_t i = 0; i < file.block_count(); ++i) {
          file.read_block(file.locate(i), storage.bytes(), BlockFile::Values::check);
        }
      },
      Error);
}

TEST(BlockFile, ABlockInTheWrongPlaceIsNoticed) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("rows.sotto");
  pack_rows(path, make_rows(300, 30, false), 30, false);
  std::vector<std::byte> bytes = file_bytes(path);
  const std::size_t block = BlockFile(path).max_block_bytes();
  std::swap_ranges(bytes.begin() + 4096, bytes.begin() + 4096 + static_cast<std::ptrdiff_t>(block),
                   bytes.begin() + 4096 + static_cast<std::ptrdiff_t>(block));
  write_file(path, bytes);
  expect_io_error(path, "an exchange of two blocks");
}

TEST(BlockFile, MissingFilesAndDirectoriesAreIoErrors) {
  const TemporaryDirectory directory;
  expect_io_error(directory.file("absent"), "a missing file");
  expect_io_error(directory.file(""), "a directory");
  write_file(directory.file("text"), std::as_bytes(std::span("x1,x2,y\n1,2,1\n")));
  expect_io_error(directory.file("text"), "a text file");
}

TEST(BlockFile, ALaterVersionIsUnsupported) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("rows.sotto");
  pack_rows(path, make_rows(5, 2, false), 2, false);
  std::vector<std::byte> bytes = file_bytes(path);
  bytes[24] = std::byte{3};
  const std::uint64_t sum = checksum(std::span(bytes).first(4096).subspan(16), 0);
  std::memcpy(bytes.data() + 8, &sum, 8);
  write_file(path, bytes);
  try {
    const BlockFile file(path);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::unsupported);
  }
}

TEST(BlockFile, TheBytesOfVersionOneStayWhereTheyAre) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("rows.sotto");
  BlockAppender appender(path, {.facts = {0, 2, 1.5, false}, .block_rows = 1, .file_id = 7, .metadata = "{}"});
  appender.add_dense(std::vector<float>{0.25F, -0.5F}, -1);
  appender.finish();
  const std::vector<std::byte> bytes = file_bytes(path);
  const auto number = [&]<class T>(std::size_t at, T) {
    T value{};
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  };
  EXPECT_EQ(std::memcmp(bytes.data(), "SOTTOBLK", 8), 0);
  EXPECT_EQ(number(16, std::uint64_t{}), 4096U);
  EXPECT_EQ(number(24, std::uint32_t{}), 1U);
  EXPECT_EQ(number(32, std::uint64_t{}), 1U);
  EXPECT_EQ(number(40, std::uint32_t{}), 2U);
  EXPECT_EQ(number(44, std::uint32_t{}), 682U);
  EXPECT_EQ(number(48, double{}), 1.5);
  EXPECT_EQ(number(4096, float{}), 0.25F);
  EXPECT_EQ(number(4100, float{}), -0.5F);
  EXPECT_EQ(number(4096 + 682 * 8, float{}), -1.0F);
  EXPECT_EQ(bytes.size(), 4096U + 8192U);
  // XXH3-64 of these bytes must not change with a version of the library, or old files would become unreadable.
  EXPECT_EQ(checksum(std::as_bytes(std::span("abc", 3)), 0), 0x78af5f94892f3950U);
}

TEST(BlockFile, BlocksHaveAboutEightKilobytesAndDependOnPublicSizesAlone) {
  EXPECT_EQ(block_rows_for(50, false), 40U);
  EXPECT_EQ(block_rows_for(1, false), 1024U);
  EXPECT_EQ(block_rows_for(2048, false), 1U);
  EXPECT_EQ(block_rows_for(std::numeric_limits<std::uint32_t>::max(), false), 1U);
  EXPECT_EQ(block_rows_for(1, true), block_rows_for(1000000, true));
  EXPECT_EQ(dense_block_bytes(50, 40), 8192U);
}

}  // namespace
}  // namespace sotto
