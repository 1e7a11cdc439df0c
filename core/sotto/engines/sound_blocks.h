#pragma once
#include <atomic>
#include <cstdint>
#include <vector>

namespace sotto {

/// Which blocks of a file were read and had no row to replace (BlockFile::Block::replaced). Several threads may ask and
/// mark at a time: what is marked stays, and a mark that is missed costs a second look.
class SoundBlocks {
 public:
  explicit SoundBlocks(std::uint64_t blocks) : words_(blocks / kBits + 1) {}

  bool has(std::uint64_t block) const noexcept {
    return (words_[block / kBits].load(std::memory_order_relaxed) >> (block % kBits) & 1U) != 0;
  }
  void mark(std::uint64_t block) noexcept {
    words_[block / kBits].fetch_or(std::uint64_t{1} << (block % kBits), std::memory_order_relaxed);
  }
  std::uint64_t bytes() const noexcept { return words_.size() * sizeof(std::uint64_t); }

 private:
  static constexpr std::uint64_t kBits = 64;
  std::vector<std::atomic<std::uint64_t>> words_;
};

}  // namespace sotto
