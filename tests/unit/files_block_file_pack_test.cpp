#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <limits>
#include <map>
#include <numeric>

#include "sotto/base/error.h"
#include "sotto/files/block_file/block_file.h"
#include "sotto/files/block_file/load.h"
#include "sotto/files/block_file/pack.h"
#include "sotto/files/block_file/pack_shuffle.h"
#include "unit/block_file_fixture.h"

namespace sotto {
namespace {

using namespace testing_support;
using Numbers = std::vector<std::uint32_t>;

/// Shuffles records that begin with 0, 1, 2, ... and are `padding` words long after that.
Numbers shuffled(std::size_t count, std::size_t memory, BitSource& bits, std::size_t padding = 0) {
  static const TemporaryDirectory directory;
  ExternalShuffle shuffle(directory.file(""), memory, bits);
  for (std::uint32_t i = 0; i < count; ++i) {
    Numbers record(1 + padding * (i % 3), i);
    shuffle.add(std::as_bytes(std::span(record)));
  }
  Numbers order;
  shuffle.drain([&](std::span<const std::byte> record) {
    const auto* words = reinterpret_cast<const std::uint32_t*>(record.data());
    EXPECT_EQ(record.size() / 4, 1 + padding * (words[0] % 3));
    EXPECT_TRUE(std::all_of(words, words + record.size() / 4, [&](std::uint32_t w) { return w == words[0]; }));
    order.push_back(words[0]);
  });
  return order;
}

TEST(ExternalShuffle, HandsOverEveryRecordOnceWhateverTheMemory) {
  Numbers all(5000);
  std::iota(all.begin(), all.end(), 0U);
  Numbers first;
  // From one leaf down to chunks shorter than a record and buckets divided several times.
  for (const std::size_t memory :
       {std::size_t{1} << 24U, std::size_t{1} << 17U, std::size_t{1} << 12U, std::size_t{600}}) {
    BitSource bits(ReproducibleSeed{5});
    Numbers order = shuffled(all.size(), memory, bits, 3);
    if (first.empty()) first = order;
    EXPECT_EQ(order, first) << memory;
    EXPECT_NE(order, all);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, all) << memory;
  }
}

TEST(ExternalShuffle, MakesEveryOrderOfFourEquallyLikely) {
  BitSource bits(ReproducibleSeed{11});
  std::map<Numbers, int> seen;
  const int draws = 2400;
  for (int i = 0; i < draws; ++i) ++seen[shuffled(4, 4096, bits)];
  ASSERT_EQ(seen.size(), 24U);
  double chi_square = 0;
  for (const auto& [order, count] : seen) chi_square += std::pow(count - draws / 24.0, 2) / (draws / 24.0);
  EXPECT_LT(chi_square, 50.0);  // 23 degrees of freedom, one in a thousand
}

BlockFileSpec spec_of(std::uint32_t features, bool sparse) {
  return {.features = features, .data_norm = 1.0, .sparse = sparse, .metadata = {}};
}

TEST(BlockFileWriter, PacksTheSameFileWhateverTheMemory) {
  const TemporaryDirectory directory;
  const std::vector<Row> rows = make_rows(30000, 60, true);
  for (const std::uint32_t memory : {8U, 512U}) {
    BitSource bits(ReproducibleSeed{3});
    BlockFileWriter writer(directory.file(std::to_string(memory)), spec_of(60, true), bits, {.memory_mb = memory});
    add_rows(rows, true, writer);
    writer.finish();
  }
  EXPECT_EQ(file_bytes(directory.file("8")), file_bytes(directory.file("512")));
}

TEST(BlockFileWriter, AMarkStaysWithItsRow) {
  const TemporaryDirectory directory;
  for (const bool sparse : {false, true}) {
    std::vector<Row> rows = make_rows(5000, 7, sparse);
    std::vector<std::uint8_t> marks;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      marks.push_back(static_cast<std::uint8_t>(i % 64));
      // The first value tells the mark.
      if (sparse) rows[i].columns = {0, 3};
      rows[i].values.resize(sparse ? 2 : 7, 0.0F);
      rows[i].values[0] = static_cast<float>(marks[i]) / 128;
    }
    const std::string path = directory.file(sparse ? "sparse" : "dense"), plain = path + ".plain";
    const auto pack = [&](const std::string& to, bool marked) {
      BitSource bits(ReproducibleSeed{3});
      BlockFileWriter writer(to, spec_of(7, sparse), bits, {.memory_mb = 8});
      if (marked) writer.mark(marks);
      add_rows(rows, sparse, writer);
      writer.finish();
      EXPECT_EQ(BlockFile(to).file_id(), writer.file_id());
      return writer.marks();
    };
    const std::vector<std::uint8_t> ordered = pack(path, true);
    ASSERT_EQ(ordered.size(), rows.size());
    EXPECT_NE(ordered, marks);
    const Dataset loaded = load_rows(BlockFile(path));
    const RowBlock packed = loaded.view();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const float first = sparse ? packed.values[packed.offsets[i]] : packed.dense[i * 7];
      ASSERT_EQ(first, static_cast<float>(ordered[i]) / 128) << i;
    }
    EXPECT_TRUE(pack(plain, false).empty());
    EXPECT_EQ(file_bytes(path), file_bytes(plain));  // marks leave no trace
  }
}

TEST(BlockFileWriter, WantsAsManyMarksAsRows) {
  const TemporaryDirectory directory;
  for (const std::size_t count : {std::size_t{0}, std::size_t{99}, std::size_t{101}}) {
    BitSource bits(ReproducibleSeed{3});
    BlockFileWriter writer(directory.file("file"), spec_of(7, false), bits, {.memory_mb = 8});
    writer.mark(std::vector<std::uint8_t>(count, 1));
    add_rows(make_rows(100, 7, false), false, writer);
    EXPECT_THROW(writer.finish(), Error) << count;
  }
}

TEST(BlockFileWriter, RefusesWhatCannotBeARow) {
  const TemporaryDirectory directory;
  BitSource bits(ReproducibleSeed{3});
  BlockFileWriter dense(directory.file("a"), spec_of(2, false), bits);
  BlockFileWriter sparse(directory.file("b"), spec_of(2, true), bits);
  using F = std::vector<float>;
  using U = std::vector<std::uint32_t>;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(dense.add_dense(F{0.1F}, 1), Error);
  EXPECT_THROW(dense.add_dense(F{0.8F, 0.8F}, 1), Error);
  EXPECT_THROW(dense.add_dense(F{0.1F, nan}, 1), Error);
  EXPECT_THROW(dense.add_dense(F{0.1F, 0.1F}, 0), Error);
  EXPECT_THROW(dense.add_sparse(U{0}, F{0.1F}, 1), Error);
  EXPECT_THROW(sparse.add_dense(F{0.1F, 0.1F}, 1), Error);
  EXPECT_THROW(sparse.add_sparse(U{2}, F{0.1F}, 1), Error);
  EXPECT_THROW(sparse.add_sparse(U{1, 0}, F{0.1F, 0.1F}, 1), Error);
  EXPECT_THROW(sparse.add_sparse(U{0, 1}, F{0.1F}, 1), Error);
  EXPECT_NO_THROW(dense.add_dense(F{0.6F, 0.8F}, 1));
  EXPECT_NO_THROW(sparse.add_sparse(U{}, F{}, 1));
  EXPECT_EQ(dense.finish().rows, 1U);
  EXPECT_EQ(sparse.finish().rows, 1U);
}

TEST(BlockFileWriter, RefusesALabelOfNoClass) {
  const TemporaryDirectory directory;
  BitSource bits(ReproducibleSeed{3});
  BlockFileSpec spec = spec_of(1, false);
  spec.classes = 3;
  BlockFileWriter writer(directory.file("a"), spec, bits);
  const std::vector<float> row = {0.5F};
  for (const float label : {-1.0F, 3.0F, 0.5F, std::numeric_limits<float>::quiet_NaN(), 1e30F}) {
    EXPECT_THROW(writer.add_dense(row, label), Error) << label;
  }
  for (const float label : {0.0F, 1.0F, 2.0F}) EXPECT_NO_THROW(writer.add_dense(row, label)) << label;
  EXPECT_EQ(writer.finish().classes, 3U);
  for (const std::uint32_t classes : {0U, 1U, kMaxClasses + 1}) {
    spec.classes = classes;
    EXPECT_THROW(BlockFileWriter(directory.file("b"), spec, bits), Error) << classes;
  }
}

TEST(BlockFileWriter, RefusesImpossibleSettings) {
  const TemporaryDirectory directory;
  BitSource bits(ReproducibleSeed{3});
  const auto make = [&](BlockFileSpec spec, PackOptions options) {
    BlockFileWriter(directory.file("a"), spec, bits, options);
  };
  EXPECT_THROW(make(spec_of(0, false), {}), Error);
  EXPECT_THROW(make({.features = 1, .data_norm = 0, .sparse = false, .metadata = {}}, {}), Error);
  EXPECT_THROW(
      make({.features = 1, .data_norm = 1, .sparse = false, .metadata = std::string(kMaxMetadataBytes + 1, ' ')}, {}),
      Error);
  EXPECT_THROW(make(spec_of(1, false), {.memory_mb = 1}), Error);
  EXPECT_THROW(BlockFileWriter(directory.file("no/such/place"), spec_of(1, false), bits), Error);
  EXPECT_EQ(directory.entries(), 0U);
}

TEST(BlockFileWriter, LeavesNothingWithoutFinishOrWithoutRows) {
  const TemporaryDirectory directory;
  BitSource bits(ReproducibleSeed{3});
  {
    BlockFileWriter writer(directory.file("a"), spec_of(4, false), bits);
    add_rows(make_rows(100, 4, false), false, writer);
  }
  EXPECT_EQ(directory.entries(), 0U);
  {
    BlockFileWriter writer(directory.file("a"), spec_of(4, false), bits);
    EXPECT_THROW(writer.finish(), Error);
  }
  EXPECT_EQ(directory.entries(), 0U);
}

TEST(BlockFileWriter, KeepsTheOldFileUntilTheNewOneIsComplete) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a");
  pack_rows(path, make_rows(10, 4, false, 1), 4, false);
  const std::vector<std::byte> old = file_bytes(path);
  BitSource bits(ReproducibleSeed{3});
  BlockFileWriter writer(path, spec_of(4, false), bits);
  add_rows(make_rows(100, 4, false, 2), false, writer);
  EXPECT_EQ(file_bytes(path), old);
  writer.finish();
  EXPECT_EQ(stored_rows(path).size(), 100U);
  EXPECT_EQ(directory.entries(), 1U);
}

/// Runs `work` in a child process and returns its status.
template <class Work>
int in_child(Work&& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

TEST(BlockFileWriter, AFullDiskIsAnIoErrorThatLeavesNothing) {
  const TemporaryDirectory directory;
  const int status = in_child([&] {
    const rlimit limit{1U << 20U, 1U << 20U};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, SIG_IGN);
    try {
      pack_rows(directory.file("a"), make_rows(20000, 30, false), 30, false);
    } catch (const Error& e) {
      return e.kind() == ErrorKind::io ? 0 : 2;
    }
    return 1;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(directory.entries(), 0U);
}

TEST(BlockFileWriter, AKilledProcessLeavesNoFileUnderTheName) {
  const TemporaryDirectory directory;
  const std::vector<Row> rows = make_rows(20000, 30, false);
  for (const useconds_t delay : {0U, 2000U, 5000U, 10000U, 20000U, 40000U, 80000U}) {
    const pid_t child = ::fork();
    if (child == 0) {
      pack_rows(directory.file("a"), rows, 30, false);
      ::_exit(0);
    }
    ::usleep(delay);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    if (std::filesystem::exists(directory.file("a"))) {
      EXPECT_EQ(stored_rows(directory.file("a")).size(), rows.size());
      std::filesystem::remove(directory.file("a"));
    }
  }
}

}  // namespace
}  // namespace sotto
