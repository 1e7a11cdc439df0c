#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sotto/base/sha256.h"

/// The anchor: a file beside or, better, far from the ledger that remembers how far the ledger had come. A ledger that
/// is behind it was restored from an older copy; one with another hash at the same place is a copy that went its own
/// way. Lines of one width, only ever added: a head with the ledger's id, then one point a record.
///
/// The ledger commits first, then the anchor is written and flushed, then the caller is told. So after a crash the
/// ledger may be ahead of its anchor, never behind, and the record that is ahead was not acknowledged to anyone.
namespace sotto {

struct AnchorPoint {
  std::uint64_t sequence = 0;
  Digest hash{};
};

/// An anchor, locked against other processes while the object lives.
class Anchor {
 public:
  /// Makes the file, complete and on disk, or throws Error{io}; one that is there already is never replaced.
  static void create(const std::string& path, const std::string& ledger_id, const AnchorPoint& first);

  /// Opens and locks. Throws Error{io} if it is missing or cannot be written, Error{invalid_data} if it belongs to
  /// another ledger or is damaged. A last line that a crash cut short is passed over: nobody was told of it.
  /// With `waiting` the lock of another process is not waited for in one piece: it is called every few milliseconds,
  /// and what it throws ends the wait.
  Anchor(const std::string& path, const std::string& ledger_id, const std::function<void()>& waiting = {});
  Anchor(const Anchor&) = delete;
  Anchor& operator=(const Anchor&) = delete;
  ~Anchor();

  const std::string& path() const noexcept { return path_; }
  const AnchorPoint& last() const noexcept { return last_; }
  /// Every point, the oldest first.
  std::vector<AnchorPoint> points() const;
  /// Adds a point and flushes it. Throws Error{io}.
  void append(const AnchorPoint& point);

 private:
  void lock(const std::function<void()>& waiting) const;
  std::string line(std::uint64_t number) const;
  [[noreturn]] void damaged() const;

  std::string path_;
  int file_;
  std::uint64_t lines_ = 0;  // complete ones, the head included
  AnchorPoint last_;
};

}  // namespace sotto
