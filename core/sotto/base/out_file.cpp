#include "sotto/base/out_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "sotto/base/error.h"

namespace sotto {
namespace {

constexpr std::size_t kFlushAt = std::size_t{1} << 20;
constexpr int kMaxLinks = 40;

[[noreturn]] void fail_out(const std::string& path, const std::string& field, const std::string& what) {
  throw Error(ErrorKind::io, path + ": " + what, field);
}

[[noreturn]] void fail_out_system(const std::string& path, const std::string& field, const std::string& what) {
  const int reason = errno;
  fail_out(path, field, what + ": " + std::strerror(reason));
}

std::string folder_of_target(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == path.npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool is_in_proc(const std::string& folder) {
  struct statfs system {};
  return ::statfs(folder.c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

/// Where the bytes go in the end.
struct Target {
  std::string path;       ///< without a link at its end
  bool in_place = false;  ///< it is there and no regular file
  bool exists = false;
  struct stat status {};
};

std::string link_content(const std::string& link, const std::string& field) {
  std::array<char, PATH_MAX> text{};
  const ssize_t length = ::readlink(link.c_str(), text.data(), text.size());
  if (length < 0) fail_out_system(link, field, "cannot be read as a link");
  return {text.data(), static_cast<std::size_t>(length)};
}

/// Follows links by hand: the system would follow one again, maybe to another file, when the name is used again.
Target target_of(const std::string& path, const std::string& field) {
  Target target{path};
  for (int i = 0; i < kMaxLinks; ++i) {
    struct stat& status = target.status;
    if (::lstat(target.path.c_str(), &status) != 0) {
      if (errno != ENOENT || target.path.empty() || target.path.back() == '/') {
        fail_out_system(path, field, "cannot be written");
      }
      return target;
    }
    if (!S_ISLNK(status.st_mode)) {
      if (S_ISDIR(status.st_mode)) fail_out(path, field, "cannot be written, it is a folder");
      target.exists = true;
      target.in_place = !S_ISREG(status.st_mode);
      return target;
    }
    const std::string folder = folder_of_target(target.path);
    // /dev/stdout and the like end in a link that stands for an open file and names none.
    if (is_in_proc(folder)) return {target.path, true, true, {}};
    const std::string next = link_content(target.path, field);
    target.path = next.starts_with('/') ? next : folder + "/" + next;
  }
  fail_out(path, field, "cannot be written, too many links");
}

std::string random_name(const std::string& folder) {
  std::array<std::uint64_t, 2> random{};
  if (::getrandom(random.data(), sizeof random, 0) != static_cast<ssize_t>(sizeof random)) {
    throw Error(ErrorKind::io, "no random bytes from the system");
  }
  std::array<char, 48> name{};
  std::snprintf(name.data(), name.size(), "/.sotto-%016llx%016llx", static_cast<unsigned long long>(random[0]),
                static_cast<unsigned long long>(random[1]));
  return folder + name.data();
}

std::string link_of_descriptor(int file) { return "/proc/self/fd/" + std::to_string(file); }

/// A file that has no name yet leaves nothing behind, however the process ends. -1 where there is no such thing.
int open_nameless(const std::string& folder, mode_t mode) {
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
  if (file < 0) return -1;
  struct stat status {};
  if (::lstat(link_of_descriptor(file).c_str(), &status) == 0) return file;
  ::close(file);  // without /proc it could not be named
  return -1;
}

/// The number of an open file of this process that the path stands for, or -1.
int descriptor_named(const std::string& path) {
  std::array<char, PATH_MAX> folder{};
  if (::realpath(folder_of_target(path).c_str(), folder.data()) == nullptr) return -1;
  const std::string own = "/proc/" + std::to_string(::getpid()) + "/fd";
  if (own != folder.data()) return -1;
  const std::string name = path.substr(path.find_last_of('/') + 1);
  return name.find_first_not_of("0123456789") == name.npos && name.size() < 10 ? std::stoi(name) : -1;
}

}  // namespace

OutFile::OutFile(const std::string& path, std::string field, mode_t mode) : path_(path), field_(std::move(field)) {
  check_out_file(path, field_);
  const Target target = target_of(path, field_);
  target_ = target.path;
  folder_ = folder_of_target(target_);
  if (target.in_place) {
    open_in_place();
    return;
  }
  if (target.exists) keep_ = target.status;
  open_beside(target.exists ? kPrivate : mode);
}

OutFile::~OutFile() {
  if (file_ >= 0) ::close(file_);
  if (!fresh_.empty()) ::unlink(fresh_.c_str());
}

void OutFile::fail(const std::string& what) const { fail_out_system(path_, field_, what); }

void OutFile::open_beside(mode_t mode) {
  file_ = open_nameless(folder_, mode);
  if (file_ >= 0) return;
  const std::string name = random_name(folder_);
  file_ = ::open(name.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, mode);
  if (file_ < 0) fail("cannot be created");
  fresh_ = name;
}

void OutFile::open_in_place() {
  const int own = descriptor_named(target_);
  // The same position as the open file has: what is written to both comes one after the other.
  file_ = own >= 0 ? ::fcntl(own, F_DUPFD_CLOEXEC, 0) : ::open(target_.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  if (file_ < 0) fail("cannot be opened");
  struct stat status {};
  if (::fstat(file_, &status) != 0) fail("cannot be opened");
  if (own < 0 && S_ISREG(status.st_mode)) fail_out(path_, field_, "was replaced meanwhile");
  target_.clear();
}

void OutFile::write(std::string_view text) {
  pending_ += text;
  if (pending_.size() >= kFlushAt) flush();
}

void OutFile::flush() {
  for (std::size_t done = 0; done < pending_.size();) {
    const ssize_t count = ::write(file_, pending_.data() + done, pending_.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("cannot be written");
    done += static_cast<std::size_t>(count);
  }
  pending_.clear();
}

/// Only root may give a file away; for everybody else it belongs to the writer, as any new file does.
void OutFile::keep_owner_and_mode() {
  if (::fchown(file_, keep_->st_uid, keep_->st_gid) != 0 && errno != EPERM && errno != EINVAL) {
    fail("cannot be given the owner of the file it replaces");
  }
  if (::fchmod(file_, keep_->st_mode & 0777U) != 0) fail("cannot be given the permissions of the file it replaces");
}

void OutFile::put_in_place() {
  if (fresh_.empty()) {
    const std::string name = random_name(folder_);
    if (::linkat(AT_FDCWD, link_of_descriptor(file_).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) {
      fail("cannot be put in place");
    }
    fresh_ = name;
  }
  if (keep_) keep_owner_and_mode();
  if (::rename(fresh_.c_str(), target_.c_str()) != 0) fail("cannot be put in place");
  fresh_.clear();
  // Without this the new name may be lost with the power although the bytes are on disk.
  const int folder = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool flushed = folder >= 0 && (::fsync(folder) == 0 || errno == EINVAL);
  if (folder >= 0) ::close(folder);
  if (!flushed) fail("is written, but its folder cannot be flushed to disk");
}

void OutFile::commit() {
  flush();
  // Pipes and devices have nothing to flush and say so.
  if (::fsync(file_) != 0 && !(target_.empty() && (errno == EINVAL || errno == ENOTSUP || errno == EROFS))) {
    fail("cannot be flushed to disk");
  }
  if (!target_.empty()) put_in_place();
}

void write_file(const std::string& path, std::string_view text, const std::string& field) {
  OutFile file(path, field);
  file.write(text);
  file.commit();
}

std::string out_target(const std::string& path, const std::string& field) { return target_of(path, field).path; }

void check_out_file(const std::string& path, const std::string& field) {
  const Target target = target_of(path, field);
  if (target.in_place) {
    if (::access(target.path.c_str(), W_OK) != 0) fail_out_system(path, field, "cannot be written");
    return;
  }
  if (target.exists && ::access(target.path.c_str(), W_OK) != 0) fail_out_system(path, field, "cannot be written");
  const std::string folder = folder_of_target(target.path);
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || ::access(folder.c_str(), W_OK | X_OK) != 0) {
    fail_out(path, field, "cannot be written, its folder is not there or not writable");
  }
}

}  // namespace sotto
