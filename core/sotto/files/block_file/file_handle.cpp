#include "sotto/files/block_file/file_handle.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "sotto/base/error.h"

namespace sotto {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  const int reason = errno;
  throw Error(ErrorKind::io, path + ": " + what + ": " + std::strerror(reason));
}

}  // namespace

std::string directory_of(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

FileHandle::FileHandle(FileHandle&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  return *this;
}

FileHandle::~FileHandle() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FileHandle FileHandle::open_for_reading(const std::string& path) {
  FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK), path);
  if (file.descriptor_ < 0) fail(path, "cannot open");
  if (!S_ISREG(file.status().st_mode)) throw Error(ErrorKind::io, path + ": not a regular file");
  return file;
}

FileHandle FileHandle::shared(int descriptor, const std::string& path) {
  FileHandle file(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0), path);
  if (file.descriptor_ < 0) fail(path, "cannot open");
  return file;
}

FileHandle FileHandle::open_anonymous(const std::string& directory) {
  FileHandle file(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), directory);
  if (file.descriptor_ >= 0) return file;
  // Not every file system can make a file without a name; take the name away at once instead.
  std::string pattern = directory + "/.sotto-shuffle-XXXXXX";
  FileHandle named(::mkostemp(pattern.data(), O_CLOEXEC), directory);
  if (named.descriptor_ < 0) fail(directory, "cannot create a temporary file");
  ::unlink(pattern.c_str());
  return named;
}

struct stat FileHandle::status() const {
  struct stat result {};
  if (::fstat(descriptor_, &result) != 0) fail(path_, "cannot inspect");
  return result;
}

void FileHandle::read_exactly(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path_, "cannot read");
    if (got == 0) throw Error(ErrorKind::io, path_ + ": the file is shorter than it says");
    offset += static_cast<std::uint64_t>(got);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

void FileHandle::write_exactly(std::uint64_t offset, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail(path_, "cannot write");
    offset += static_cast<std::uint64_t>(put);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

void AppendBuffer::append(std::span<const std::byte> bytes) {
  if (pending_.size() + bytes.size() > kBytes) flush();
  if (bytes.size() >= kBytes) {
    file_.write_exactly(offset_, bytes);
    offset_ += bytes.size();
    return;
  }
  pending_.reserve(kBytes);
  pending_.insert(pending_.end(), bytes.begin(), bytes.end());
}

void AppendBuffer::flush() {
  file_.write_exactly(offset_, pending_);
  offset_ += pending_.size();
  pending_.clear();
}

}  // namespace sotto
