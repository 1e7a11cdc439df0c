// Feeds files to the fuzz targets without a fuzzer, for builds of any compiler: fuzz_replay <folder of corpora>. Every
// target needs a folder of its name with at least one file in it.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz_targets.h"

namespace fs = std::filesystem;

#define SOTTO_DECLARE(name) extern "C" int fuzz_one_##name(const std::uint8_t* data, std::size_t size);
SOTTO_FUZZ_TARGETS(SOTTO_DECLARE)

namespace {

using Target = int (*)(const std::uint8_t*, std::size_t);

int replay(const fs::path& folder, Target target) {
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    std::printf("%s\n", entry.path().c_str());
    std::fflush(stdout);  // the last line names the file that ended the program
    target(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    ++files;
  }
  return files;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
#define SOTTO_ENTRY(name) {#name, fuzz_one_##name},
  const std::pair<const char*, Target> targets[] = {SOTTO_FUZZ_TARGETS(SOTTO_ENTRY)};
  for (const auto& [name, target] : targets) {
    const fs::path folder = fs::path(words[1]) / name;
    if (!fs::exists(folder) || replay(folder, target) == 0) {
      std::fprintf(stderr, "%s: no input\n", folder.c_str());
      return 1;
    }
  }
  return 0;
}
