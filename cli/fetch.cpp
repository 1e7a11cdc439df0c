#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "public_data.h"
#include "sotto/base/error.h"
#include "sotto/base/out_file.h"
#include "sotto/base/sha256.h"
#include "sotto/files/byte_source.h"

namespace sotto::cli {
namespace {

namespace fs = std::filesystem;
using Buffer = std::array<char, 1 << 16>;

std::string digest_of(const fs::path& path) {
  const std::unique_ptr<ByteSource> bytes = open_bytes(path.string());
  Sha256 digest;
  Buffer buffer;
  while (const std::size_t count = bytes->read(buffer)) digest.add(std::span(buffer).first(count));
  return hex_of(digest.finish());
}

bool is_there(const fs::path& path, std::string_view sha256) {
  std::error_code unreadable;  // then it is not there
  return fs::is_regular_file(path, unreadable) && digest_of(path) == sha256;
}

/// The exit code of curl; 127 if there is no such program.
int run_curl(const std::string& address, const std::string& out) {
  std::array<std::string, 9> words = {"curl", "--fail",   "--silent", "--show-error", "--location", "--retry",
                                      "2",    "--output", out};
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 2);
  for (std::string& word : words) arguments.push_back(word.data());
  std::string last = address;
  arguments.push_back(last.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawnp(&child, "curl", nullptr, nullptr, arguments.data(), environ) != 0) return 127;
  int status = 0;
  if (waitpid(child, &status, 0) < 0 || !WIFEXITED(status)) return 1;
  return WEXITSTATUS(status);
}

/// Packs the bytes of `from`, which may be packed already.
void write_gzip(const fs::path& from, const fs::path& to) {
  const std::unique_ptr<ByteSource> bytes = open_bytes(from.string());
  OutFile target(to.string());
  const int file = ::dup(target.descriptor());  // closed with the packer
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> out(gzdopen(file, "wb9"), gzclose);
  Buffer buffer;
  bool good = out != nullptr;
  while (good) {
    const std::size_t count = bytes->read(buffer);
    if (count == 0) break;
    good = gzwrite(out.get(), buffer.data(), static_cast<unsigned>(count)) == static_cast<int>(count);
  }
  if (!good || gzflush(out.get(), Z_FINISH) != Z_OK) throw Error(ErrorKind::io, "cannot write " + to.string(), "out");
  target.commit();
}

/// A fresh folder that nobody else can write to, for what another program writes; removed at the end.
struct OwnFolder {
  std::string path;
  explicit OwnFolder(const fs::path& parent) : path((parent / ".sotto-XXXXXX").string()) {
    if (::mkdtemp(path.data()) == nullptr) {
      throw Error(ErrorKind::io, "cannot make a folder in " + parent.string(), "out");
    }
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  ~OwnFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

std::string why(int code) {
  if (code == 127) return "the program curl is not installed";
  if (code == 6 || code == 7 || code == 28) return "no connection (curl " + std::to_string(code) + ")";
  return "curl ended with " + std::to_string(code);
}

}  // namespace

Fetched fetch(const PublicFile& file, const FetchOptions& options) {
  const fs::path wanted = fs::path(options.folder) / file.path;
  if (is_there(wanted, file.sha256)) return Fetched::was_there;
  const std::string given = given_data_folder();
  if (!given.empty() && is_there(fs::path(given) / file.path, file.sha256)) return Fetched::in_given_folder;
  const std::string address =
      options.mirror.empty() ? std::string(file.source) : options.mirror + "/" + std::string(file.path);
  std::error_code failed;
  fs::create_directories(wanted.parent_path(), failed);
  if (failed) throw Error(ErrorKind::io, "cannot make the folder " + wanted.parent_path().string(), "out");
  const OwnFolder own(wanted.parent_path());
  const std::string raw = own.path + "/fetched";
  if (const int code = run_curl(address, raw); code != 0) {
    throw Error(ErrorKind::io,
                "cannot fetch " + address + ": " + why(code) + ". Without a network put the file at " +
                    wanted.string() + " or set SOTTO_DATA to a folder that has " + std::string(file.path),
                "name");
  }
  if (digest_of(raw) != file.sha256) {
    throw Error(
        ErrorKind::invalid_data,
        "checksum: " + address + " has other bytes than the pinned " + std::string(file.sha256) + "; nothing was kept",
        "name");
  }
  write_gzip(raw, wanted);
  return Fetched::fetched;
}

}  // namespace sotto::cli
