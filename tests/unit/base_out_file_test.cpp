#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/out_file.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void put(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 07777U;
}

class OutFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "out-file-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_)) found.insert(entry.path().filename().string());
    return found;
  }

  fs::path folder_;
};

TEST_F(OutFileTest, ANewFileAppearsAtTheCommitAndNothingElseDoes) {
  const mode_t before = ::umask(027);
  OutFile file(at("m.json"));
  file.write("one ");
  file.write("two");
  EXPECT_FALSE(fs::exists(at("m.json")));
  file.commit();
  ::umask(before);
  EXPECT_EQ(content_of(at("m.json")), "one two");
  EXPECT_EQ(mode_of(at("m.json")), 0640U);
  EXPECT_EQ(names(), std::set<std::string>{"m.json"});
}

TEST_F(OutFileTest, WithoutACommitTheOldFileStaysAndNothingIsLeft) {
  put(at("m.json"), "old");
  {
    OutFile file(at("m.json"));
    file.write(std::string(std::size_t{3} << 20U, 'x'));
  }
  EXPECT_EQ(content_of(at("m.json")), "old");
  EXPECT_EQ(names(), std::set<std::string>{"m.json"});
}

TEST_F(OutFileTest, AReplacedFileKeepsItsPermissions) {
  for (const mode_t mode : {0600U, 0660U, 0644U}) {
    put(at("m.json"), "old");
    ASSERT_EQ(::chmod(at("m.json").c_str(), mode), 0);
    write_file(at("m.json"), "new");
    EXPECT_EQ(mode_of(at("m.json")), mode);
    EXPECT_EQ(content_of(at("m.json")), "new");
  }
}

TEST_F(OutFileTest, RowsOfPeopleAreForTheirHolderAlone) {
  OutFile file(at("rows"), "out", OutFile::kPrivate);
  file.commit();
  EXPECT_EQ(mode_of(at("rows")), 0600U);
}

TEST_F(OutFileTest, AHardLinkKeepsTheOldContent) {
  put(at("precious"), "precious");
  fs::create_hard_link(at("precious"), at("m.json"));
  write_file(at("m.json"), "new");
  EXPECT_EQ(content_of(at("precious")), "precious");
  EXPECT_EQ(content_of(at("m.json")), "new");
}

TEST_F(OutFileTest, NoPreparedNameBesideTheTargetIsFollowed) {
  put(at("rows.csv"), "rows");
  fs::create_symlink("rows.csv", at("m.json.part"));
  fs::create_hard_link(at("rows.csv"), at("m.json.tmp"));
  write_file(at("m.json"), "model");
  EXPECT_EQ(content_of(at("rows.csv")), "rows");
  EXPECT_FALSE(fs::is_symlink(at("m.json")));
  EXPECT_EQ(content_of(at("m.json")), "model");
}

TEST_F(OutFileTest, OfALinkTheFileItPointsToIsReplacedAndTheLinkStays) {
  fs::create_directory(at("models"));
  put(at("models/today.json"), "old");
  fs::create_symlink("models/today.json", at("first"));
  fs::create_symlink(at("first"), at("second"));
  write_file(at("second"), "new");
  EXPECT_TRUE(fs::is_symlink(at("first")));
  EXPECT_TRUE(fs::is_symlink(at("second")));
  EXPECT_EQ(content_of(at("models/today.json")), "new");
  fs::create_symlink("models/tomorrow.json", at("third"));
  write_file(at("third"), "newer");
  EXPECT_EQ(content_of(at("models/tomorrow.json")), "newer");
}

TEST_F(OutFileTest, ALinkThatIsTurnedElsewhereMeanwhileLeadsNowhereElse) {
  put(at("rows.csv"), "rows");
  put(at("old.json"), "old");
  fs::create_symlink("old.json", at("m.json"));
  OutFile file(at("m.json"));
  fs::remove(at("m.json"));
  fs::create_symlink("rows.csv", at("m.json"));
  file.write("new");
  file.commit();
  EXPECT_EQ(content_of(at("rows.csv")), "rows");
  EXPECT_EQ(content_of(at("old.json")), "new");
}

TEST_F(OutFileTest, APipeIsWrittenInPlaceAndStaysAPipe) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = content_of(at("pipe")); });
  write_file(at("pipe"), "through");
  reader.join();
  EXPECT_EQ(read, "through");
  EXPECT_TRUE(fs::is_fifo(at("pipe")));
}

TEST_F(OutFileTest, ADeviceStaysADevice) {
  const std::string node = at("null");
  const bool made = ::mknod(node.c_str(), S_IFCHR | 0666, (1U << 8U) | 3U) == 0;
  const std::string path = made ? node : "/dev/null";  // only root makes one
  write_file(path, "nothing");
  EXPECT_TRUE(fs::is_character_file(path));
}

TEST_F(OutFileTest, WhatStandsForAnOpenFileIsWrittenThere) {
  const int file = ::open(at("redirected").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(file, 0);
  ASSERT_EQ(::write(file, "before ", 7), 7);
  write_file("/dev/fd/" + std::to_string(file), "between ");
  ASSERT_EQ(::write(file, "after", 5), 5);
  ::close(file);
  EXPECT_EQ(content_of(at("redirected")), "before between after");
}

TEST_F(OutFileTest, AFullDeviceIsAnErrorThatSaysSo) {
  try {
    write_file("/dev/full", "text", "svg");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    EXPECT_EQ(error.field(), "svg");
    EXPECT_NE(std::string(error.what()).find("No space left"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(OutFileTest, AFileThatDoesNotFitLeavesTheOldOne) {
  put(at("m.json"), "old");
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small { 1 << 16, before.rlim_max };
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(write_file(at("m.json"), std::string(1 << 18, 'x')), Error);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, handler);
  EXPECT_EQ(content_of(at("m.json")), "old");
  EXPECT_EQ(names(), std::set<std::string>{"m.json"});
}

TEST_F(OutFileTest, WhatCannotBeWrittenIsKnownBefore) {
  fs::create_directory(at("folder"));
  fs::create_symlink("loop", at("loop"));
  for (const std::string& path : {at("folder"), at("none/m.json"), at("none/"), at("loop"), std::string()}) {
    EXPECT_THROW(check_out_file(path, "out"), Error) << path;
    EXPECT_THROW(OutFile{path}, Error) << path;
  }
  EXPECT_NO_THROW(check_out_file(at("m.json"), "out"));
  EXPECT_NO_THROW(check_out_file("/dev/null", "out"));
  EXPECT_FALSE(fs::exists(at("m.json")));
}

TEST_F(OutFileTest, OfManyWritersOneWinsWhole) {
  constexpr std::size_t kBytes = 300000;
  for (int round = 0; round < 5; ++round) {
    std::vector<std::thread> writers;
    for (const char letter : {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'}) {
      writers.emplace_back([&, letter] { write_file(at("m.json"), std::string(kBytes, letter)); });
    }
    for (std::thread& writer : writers) writer.join();
    const std::string found = content_of(at("m.json"));
    ASSERT_EQ(found.size(), kBytes);
    EXPECT_EQ(found, std::string(kBytes, found[0]));
    EXPECT_EQ(names(), std::set<std::string>{"m.json"});
  }
}

}  // namespace
}  // namespace sotto
