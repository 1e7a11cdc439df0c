#include "sotto/privacy/ledger/anchor.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "sotto/privacy/ledger/files.h"

namespace sotto {
namespace {

constexpr std::size_t kDigits = 20;                   // of the largest sequence
constexpr std::size_t kWidth = kDigits + 1 + 64 + 1;  // "<sequence> <hash>\n"
constexpr std::string_view kHead = "sotto anchor 1 ";

std::string head_line(const std::string& ledger_id) {
  std::string text = std::string(kHead) + ledger_id;
  text.resize(kWidth - 1, ' ');
  return text + "\n";
}

std::string point_line(const AnchorPoint& point) {
  const std::string digits = std::to_string(point.sequence);
  return std::string(kDigits - digits.size(), '0') + digits + " " + hex_of(point.hash) + "\n";
}

bool parse_line(const std::string& line, AnchorPoint& point) {
  const char* end = line.data() + kDigits;
  const auto [stop, code] = std::from_chars(line.data(), end, point.sequence);
  if (code != std::errc{} || stop != end || line[kDigits] != ' ' || line.back() != '\n') return false;
  return digest_from_hex(std::string_view(line).substr(kDigits + 1, 64), point.hash);
}

void write_all(int file, std::uint64_t offset, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t put = ::pwrite(file, text.data(), text.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) fail_io(path, "the ledger's anchor cannot be written");
    offset += static_cast<std::uint64_t>(put);
    text.remove_prefix(static_cast<std::size_t>(put));
  }
}

}  // namespace

void Anchor::create(const std::string& path, const std::string& ledger_id, const AnchorPoint& first) {
  FreshFile fresh(path);
  write_all(fresh.descriptor(), 0, head_line(ledger_id) + point_line(first), path);
  fresh.commit();
}

Anchor::Anchor(const std::string& path, const std::string& ledger_id, const std::function<void()>& waiting)
    : path_(path), file_(::open(path.c_str(), O_RDWR | O_CLOEXEC)) {
  if (file_ < 0) {
    fail_io(path, errno == ENOENT ? "the ledger's anchor is missing, so a restored copy could not be told"
                                  : "the ledger's anchor cannot be opened for writing");
  }
  try {
    lock(waiting);
    struct stat status {};
    if (::fstat(file_, &status) != 0) fail_io(path, "the ledger's anchor cannot be read");
    lines_ = static_cast<std::uint64_t>(status.st_size) / kWidth;
    if (lines_ < 2 || line(0).compare(0, kHead.size(), kHead) != 0) damaged();
    if (line(0) != head_line(ledger_id)) {
      throw FileError(ErrorKind::invalid_data, path, "this is the anchor of another ledger");
    }
    // A power cut can leave a line of zeros: its length was recorded, its content was not.
    if (lines_ > 2 && line(lines_ - 1) == std::string(kWidth, '\0')) --lines_;
    if (!parse_line(line(lines_ - 1), last_)) damaged();
  } catch (...) {
    ::close(file_);
    throw;
  }
}

Anchor::~Anchor() { ::close(file_); }

void Anchor::lock(const std::function<void()>& waiting) const {
  constexpr useconds_t kBetweenTries = 2000;
  while (::flock(file_, waiting ? LOCK_EX | LOCK_NB : LOCK_EX) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) fail_io(path_, "the ledger's anchor cannot be locked");
    waiting();
    ::usleep(kBetweenTries);
  }
}

void Anchor::damaged() const {
  throw FileError(ErrorKind::invalid_data, path_, "the ledger's anchor is damaged or was edited");
}

std::string Anchor::line(std::uint64_t number) const {
  std::string text(kWidth, '\0');
  std::size_t done = 0;
  while (done < kWidth) {
    const ssize_t got = ::pread(file_, text.data() + done, kWidth - done, static_cast<off_t>(number * kWidth + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail_io(path_, "the ledger's anchor cannot be read");
    done += static_cast<std::size_t>(got);
  }
  return text;
}

std::vector<AnchorPoint> Anchor::points() const {
  std::vector<AnchorPoint> points(lines_ - 1);
  for (std::uint64_t i = 1; i < lines_; ++i) {
    if (!parse_line(line(i), points[i - 1])) damaged();
  }
  return points;
}

void Anchor::append(const AnchorPoint& point) {
  write_all(file_, lines_ * kWidth, point_line(point), path_);
  if (::fsync(file_) != 0) fail_io(path_, "the ledger's anchor cannot be flushed to disk");
  ++lines_;
  last_ = point;
}

}  // namespace sotto
