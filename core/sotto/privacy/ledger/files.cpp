#include "sotto/privacy/ledger/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace sotto {
namespace {

std::string folder_of(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

}  // namespace

void fail_io(const std::string& path, const std::string& what) {
  const int reason = errno;
  throw FileError(ErrorKind::io, path, what + ": " + std::strerror(reason));
}

std::int64_t seconds_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

bool exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

std::string absolute_path(const std::string& path) {
  std::error_code code;
  std::string result = std::filesystem::weakly_canonical(std::filesystem::absolute(path), code).string();
  if (code) throw Error(ErrorKind::io, path + ": cannot be found: " + code.message(), "ledger");
  return result;
}

std::uint64_t inode_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) fail_io(path, "cannot be opened");
  if (!S_ISREG(status.st_mode)) throw Error(ErrorKind::io, path + ": is not a regular file", "ledger");
  if (status.st_nlink != 1) {
    throw Error(ErrorKind::unsupported, path + ": has a second name (a hard link); remove one of them", "ledger");
  }
  return status.st_ino;
}

FreshFile::FreshFile(std::string path) : path_(std::move(path)), temporary_(path_ + ".new-XXXXXX") {
  file_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
  if (file_ < 0) fail_io(path_, "cannot be created");
}

FreshFile::~FreshFile() {
  ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void FreshFile::commit() {
  if (::fsync(file_) != 0) fail_io(path_, "cannot be flushed to disk");
  // Unlike a rename this does not replace what has the name already.
  if (::link(temporary_.c_str(), path_.c_str()) != 0) {
    fail_io(path_, errno == EEXIST ? "is there already and is not replaced" : "cannot be created");
  }
  ::unlink(temporary_.c_str());
  temporary_.clear();
  const int folder = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool flushed = folder >= 0 && (::fsync(folder) == 0 || errno == EINVAL);
  if (folder >= 0) ::close(folder);
  if (!flushed) fail_io(path_, "its folder cannot be flushed to disk");
}

}  // namespace sotto
