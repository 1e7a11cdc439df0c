#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "sotto/random/fork_epoch.h"

namespace sotto {

/// A seed for tests and replication. A BitSource made from one says so, and every model made with it is stamped
/// *not private*; nothing can take the stamp away.
struct ReproducibleSeed {
  std::uint64_t value = 0;
};

/// A cryptographic bit stream (AES-256 in counter mode) keyed from operating-system entropy (spec 5.1). Re-keyed from
/// the operating system at intervals; a child process after fork never repeats its parent's bits. Not thread-safe: use
/// one source per thread. Move-only; a source moved from may only be assigned to or destroyed. Key and buffer are wiped
/// on destruction. A re-keying for which the operating system gives no entropy ends the process: no stale bits are ever
/// handed out.
class BitSource {
 public:
  /// Keyed from the operating system. Throws Error{internal} when no entropy can be had.
  BitSource();
  /// A stream that repeats: marks everything drawn from it as not private.
  explicit BitSource(ReproducibleSeed seed);
  BitSource(BitSource&&) noexcept;
  BitSource& operator=(BitSource&&) noexcept;
  ~BitSource();

  /// False if the stream can be repeated by anyone who knows the seed.
  bool is_private() const noexcept { return private_; }

  std::uint64_t next() noexcept {
    if (cursor_ == kBufferWords || epoch_ != fork_epoch()) refill();
    return buffer_[cursor_++];
  }
  /// Fills `words` with fresh words; long spans are written by the cipher directly.
  void fill(std::span<std::uint64_t> words) noexcept;

  /// Fresh words without a copy, count <= kBufferWords: they stay until the next call of any member, and kSlackWords
  /// without meaning can be read after them. What is left of the buffer is skipped if it is too short.
  std::span<const std::uint64_t> take(std::size_t count) noexcept {
    if (cursor_ + count > kBufferWords || epoch_ != fork_epoch()) skip_to(count);
    cursor_ += count;
    return {buffer_.data() + cursor_ - count, count};
  }

  static constexpr std::size_t kBufferWords = 1024;
  static constexpr std::size_t kSlackWords = 8;

 private:
  struct Cipher;
  void refill() noexcept;
  void skip_to(std::size_t count) noexcept;
  void generate(std::span<std::uint64_t> words) noexcept;
  void notice_fork() noexcept;

  std::unique_ptr<Cipher> cipher_;
  std::size_t cursor_ = kBufferWords;
  std::uint64_t epoch_ = 0;
  bool private_ = true;
  alignas(64) std::array<std::uint64_t, kBufferWords + kSlackWords> buffer_{};
};

}  // namespace sotto
