#pragma once
#include <cstdint>
#include <string>
#include <utility>

#include "sotto/base/error.h"

/// Files that appear complete under a name nobody had before.
namespace sotto {

/// An error about a file, "path: message". The name of an anchor may say which rows it stands for; a front end that
/// keeps names from whoever asks shows `message` alone.
class FileError final : public Error {
 public:
  FileError(ErrorKind kind, const std::string& path, std::string message, std::string field = "ledger", Hint hint = {})
      : Error(kind, path + ": " + message, std::move(field), std::move(hint)), message_(std::move(message)) {}
  const std::string& message() const noexcept { return message_; }

 private:
  std::string message_;
};

/// FileError{io} with the operating system's reason.
[[noreturn]] void fail_io(const std::string& path, const std::string& what);

/// Seconds since 1970 by the system's clock.
std::int64_t seconds_now();

bool exists(const std::string& path);
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
