#pragma once
#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>

namespace sotto {

/// The one way in which a result becomes a file. Every failure is Error{io} with the path and the system's reason.
///
/// A new or regular target appears whole under its name or not at all. The bytes go to a fresh file in the same folder,
/// one that has no name yet or a random one and that nobody else can have prepared. `commit` flushes it and renames it
/// over the target. Two runs with one target leave the whole file of one of them. A target that exists keeps its
/// permissions. Its other names (hard links) keep the old content.
/// A symbolic link is followed once, when the file is opened, and the file it points to is replaced; the link stays.
/// A target that exists and is no regular file (a device, a pipe, /dev/stdout) is written in place, never replaced.
class OutFile {
 public:
  static constexpr mode_t kUsual = 0666;    ///< less the umask
  static constexpr mode_t kPrivate = 0600;  ///< for rows of people

  /// `field` is the parameter that named the path. `mode` is that of a new file.
  explicit OutFile(const std::string& path, std::string field = "out", mode_t mode = kUsual);
  OutFile(const OutFile&) = delete;
  OutFile& operator=(const OutFile&) = delete;
  /// Without a commit nothing is left behind and the target stays as it was.
  ~OutFile();

  /// Appends, through a buffer.
  void write(std::string_view text);
  /// For those who write by themselves; not to be mixed with `write`.
  int descriptor() const noexcept { return file_; }
  /// Flushes the file, gives it its name, flushes the folder.
  void commit();

 private:
  void open_beside(mode_t mode);
  void open_in_place();
  void flush();
  void keep_owner_and_mode();
  void put_in_place();
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;  ///< as it was given, for messages
  std::string field_;
  std::string target_;  ///< what will be replaced; empty: written in place
  std::string folder_;
  std::string fresh_;  ///< the name beside the target, once it has one
  std::string pending_;
  std::optional<struct stat> keep_;  ///< of the file that is replaced
  int file_ = -1;
};

/// All of it at once.
void write_file(const std::string& path, std::string_view text, const std::string& field = "out");

/// Throws what OutFile would throw if the target cannot be written for a reason that can be seen without writing.
void check_out_file(const std::string& path, const std::string& field);

/// The file that would be written, links followed; it need not be there yet.
std::string out_target(const std::string& path, const std::string& field);

}  // namespace sotto
