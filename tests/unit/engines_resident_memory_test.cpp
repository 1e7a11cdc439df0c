// Measures, in a process of its own, what packing and scanning a file much larger than the memory allowed keep
// resident.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "sotto/base/error.h"
#include "sotto/engines/out_of_core.h"
#include "unit/block_file_fixture.h"

namespace sotto {
namespace {

using namespace testing_support;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20U;

std::uint64_t status_bytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(field + ":", 0) == 0) return std::stoull(line.substr(field.size() + 1)) * 1024;
  }
  return 0;
}

/// By how much the resident memory of a child process grows at most while it does `work`; nothing if that fails.
std::uint64_t peak_growth(const std::function<void()>& work) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << "5";  // the high-water mark starts anew
    const std::uint64_t before = status_bytes("VmRSS");
    try {
      work();
    } catch (const std::exception&) {
      ::_exit(1);
    }
    const std::uint64_t growth = status_bytes("VmHWM") - before;
    ::_exit(::write(ends[1], &growth, sizeof growth) == sizeof growth ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  std::uint64_t growth = 0;
  EXPECT_EQ(status, 0);
  if (status == 0) {
    EXPECT_EQ(::read(ends[0], &growth, sizeof growth), static_cast<ssize_t>(sizeof growth));
  }
  ::close(ends[0]);
  ::close(ends[1]);
  return growth;
}

struct Counter : RowConsumer {
  void consume(const RowBlock& block) noexcept override { rows += block.rows; }
  std::uint64_t rows = 0;
};

/// A file of about 200 MB.
void pack_large(const std::string& path, bool sparse) {
  constexpr std::uint32_t kFeatures = 250;
  BitSource bits(ReproducibleSeed{1});
  const BlockFileSpec spec{
      .features = sparse ? 100000U : kFeatures, .data_norm = 1.0, .sparse = sparse, .metadata = {}};
  BlockFileWriter writer(path, spec, bits, {.memory_mb = 16});
  std::vector<float> values(sparse ? 120 : kFeatures);
  std::vector<std::uint32_t> columns(values.size());
  for (std::uint32_t i = 0; i < 200000; ++i) {
    for (std::size_t j = 0; j < values.size(); ++j) {
      values[j] = static_cast<float>((i * 7 + j) % 101) * 1e-4F;
      columns[j] = static_cast<std::uint32_t>(j * 800 + i % 800);
    }
    if (sparse) {
      writer.add_sparse(std::span(columns).first(20 + i % 100), std::span(values).first(20 + i % 100), 1);
    } else {
      writer.add_dense(values, 1);
    }
  }
  writer.finish();
}

class ResidentMemory : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(DenseAndSparse, ResidentMemory, ::testing::Bool(),
                         [](const auto& kind) { return kind.param ? "sparse" : "dense"; });

TEST_P(ResidentMemory, OfPackingAndScanningStaysUnderTheStatedBoundForAFileManyTimesLarger) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer keeps memory of its own";
  const TemporaryDirectory directory;
  const std::string path = directory.file("rows.sotto");
  const std::uint64_t packing = peak_growth([&] { pack_large(path, GetParam()); });
  RecordProperty("packing_bytes", std::to_string(packing));
  EXPECT_LE(packing, 16 * kMegabyte);

  const std::uint64_t size = std::filesystem::file_size(path);
  ASSERT_GT(size, 100 * kMegabyte);
  for (const auto kind : {ScanOrder::Kind::stored, ScanOrder::Kind::shuffled}) {
    std::uint64_t bound = 0;
    ScanOrder order{.kind = kind, .key = {1, 2, 3, 4}};
    {
      const OutOfCoreEngine engine(path, {.memory_mb = 32});
      order.block_rows = engine.block_rows();
      bound = engine.resident_bound_bytes(order);
    }
    EXPECT_LE(bound, 32 * kMegabyte);
    const std::uint64_t growth = peak_growth([&] {
      OutOfCoreEngine engine(path, {.memory_mb = 32});
      Counter counter;
      for (std::uint32_t pass = 0; pass < 2; ++pass) engine.scan(order, pass, counter);
      if (counter.rows != 400000) throw Error(ErrorKind::internal, "rows are missing");
    });
    RecordProperty(kind == ScanOrder::Kind::stored ? "stored_bytes" : "shuffled_bytes", std::to_string(growth));
    EXPECT_LE(growth, bound);
  }
}

}  // namespace
}  // namespace sotto
