#pragma once
#include <cstdint>
#include <string>

/// Files that appear complete under a name nobody had before.
namespace sotto {

/// Error{io} with the path and the operating system's reason.
[[noreturn]] void fail_io(const std::string& path, const std::string& what);

/// Seconds since 1970 by the system's clock.
std::int64_t seconds_now();

/// The absolute path without links; of a file that need not exist yet.
std::string absolute_path(const std::string& path);
/// The number of the file in its file system; a copy has another. Throws Error{io}; Error{unsupported} for a file with
/// a second name, under which it would be opened without its log.
std::uint64_t inode_of(const std::string& path);

/// A file under a temporary name in the same folder. Removed on destruction; `commit` gives it its name for good and
/// fails if that name is taken.
class FreshFile {
 public:
  explicit FreshFile(std::string path);
  FreshFile(const FreshFile&) = delete;
  FreshFile& operator=(const FreshFile&) = delete;
  ~FreshFile();

  int descriptor() const noexcept { return file_; }
  const std::string& temporary_path() const noexcept { return temporary_; }
  /// Flushes the file, gives it its name, flushes the folder.
  void commit();

 private:
  std::string path_;
  std::string temporary_;
  int file_;
};

}  // namespace sotto
