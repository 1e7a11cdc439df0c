#include <gtest/gtest.h>

#include "refusals.h"
#include "sotto/base/free_memory.h"
#include "unit/block_file_fixture.h"

namespace sotto {
namespace {

using testing_support::TemporaryDirectory;

/// A machine as its files under /proc and /sys describe it.
class FreeMemoryTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    const std::string path = root_.file(name);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
  }
  std::uint64_t found() const { return free_memory_bytes(root_.file("")); }
  TemporaryDirectory root_;
};

TEST_F(FreeMemoryTest, IsWhatTheSystemCallsAvailable) {
  write("proc/meminfo", "MemTotal: 4000 kB\nMemFree: 10 kB\nMemAvailable: 3000 kB\n");
  EXPECT_EQ(found(), 3000U * 1024);
  write("proc/self/cgroup", "0::/a\n");
  write("sys/fs/cgroup/a/memory.max", "max\n");
  EXPECT_EQ(found(), 3000U * 1024);
}

TEST_F(FreeMemoryTest, IsNoMoreThanAGroupOfTheSecondVersionOrOneAboveItLeaves) {
  write("proc/meminfo", "MemAvailable: 3000 kB\n");
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/memory.max", "2000000\n");
  write("sys/fs/cgroup/a/b/memory.current", "900000\n");
  write("sys/fs/cgroup/a/b/memory.stat", "anon 5\ninactive_file 400000\n");
  EXPECT_EQ(found(), 1500000U);
  write("sys/fs/cgroup/a/memory.max", "1000000\n");
  EXPECT_EQ(found(), 1000000U);
}

TEST_F(FreeMemoryTest, IsNoMoreThanAGroupOfTheFirstVersionLeaves) {
  write("proc/meminfo", "MemAvailable: 3000 kB\n");
  write("proc/self/cgroup", "5:cpu,memory:/not/there\n0::/\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1000000\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "1200000\n");
  write("sys/fs/cgroup/memory/memory.stat", "inactive_file 9\ntotal_inactive_file 500000\n");
  EXPECT_EQ(found(), 300000U);
  write("sys/fs/cgroup/memory/memory.stat", "total_inactive_file 0\n");
  EXPECT_EQ(found(), 0U) << "a group over its limit leaves nothing";
}

TEST_F(FreeMemoryTest, IsNothingWhereNothingIsKnown) { EXPECT_EQ(found(), 0U); }

TEST(AllowedMemory, IsTheNumberGivenOrAShareOfWhatIsFree) {
  EXPECT_EQ(allowed_memory_bytes(100), std::uint64_t{100} << 20U);
  EXPECT_EQ(allowed_memory_bytes(100, 50), std::uint64_t{100} << 20U) << "a number that was given is obeyed";
  EXPECT_EQ(allowed_memory_bytes(0, kMinMemoryMb), std::uint64_t{kMinMemoryMb} << 20U);
  EXPECT_GE(allowed_memory_bytes(0), std::uint64_t{kMinMemoryMb} << 20U);
  EXPECT_REFUSED(invalid_argument, "memory_mb", allowed_memory_bytes(kMinMemoryMb - 1));
}

}  // namespace
}  // namespace sotto
