#pragma once
#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// Files as the block file needs them: exact reads and writes, files without a name.
/// Every failure is Error{io} with the path and the operating system's reason.
namespace sotto {

/// An open file, closed on destruction. Reading does not move a position, so several threads may read.
class FileHandle {
 public:
  FileHandle() = default;
  FileHandle(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  FileHandle(FileHandle&& other) noexcept;
  FileHandle& operator=(FileHandle&& other) noexcept;
  ~FileHandle();

  static FileHandle open_for_reading(const std::string& path);
  /// A second handle of a file that is open already.
  static FileHandle shared(int descriptor, const std::string& path);
  /// A temporary file in `directory` whose name is already gone: it disappears with the process, however that ends.
  static FileHandle open_anonymous(const std::string& directory);

  int descriptor() const noexcept { return descriptor_; }
  const std::string& path() const noexcept { return path_; }
  struct stat status() const;
  void read_exactly(std::uint64_t offset, std::span<std::byte> bytes) const;
  void write_exactly(std::uint64_t offset, std::span<const std::byte> bytes) const;

 private:
  int descriptor_ = -1;
  std::string path_;
};

/// Bytes written one after the other through a buffer.
class AppendBuffer {
 public:
  static constexpr std::size_t kBytes = 1U << 20U;

  AppendBuffer(const FileHandle& file, std::uint64_t offset) : file_(file), offset_(offset) {}
  void append(std::span<const std::byte> bytes);
  void flush();
  /// Where the next byte will be.
  std::uint64_t end() const noexcept { return offset_ + pending_.size(); }

 private:
  const FileHandle& file_;
  std::uint64_t offset_;
  std::vector<std::byte> pending_;
};

/// The directory a path lies in, "." for a bare name.
std::string directory_of(const std::string& path);

}  // namespace sotto
