#pragma once
#include <array>
#include <cstdint>

namespace sotto {

/// A keyed permutation of [0, n) in O(1) memory: a balanced Feistel network over the next even number of bits
/// (at least 6) with cycle walking. Same key, same permutation, on every machine. It orders rows; it is not a source of
/// noise.
class KeyedPermutation {
 public:
  using Key = std::array<std::uint64_t, 4>;
  /// `tweak` separates permutations under one key (pass, window, purpose).
  KeyedPermutation(const Key& key, std::uint64_t tweak, std::uint64_t n) noexcept;
  /// The image of index < n.
  std::uint64_t operator()(std::uint64_t index) const noexcept;
  std::uint64_t size() const noexcept { return n_; }

 private:
  static constexpr int kRounds = 8;
  std::array<std::uint64_t, kRounds> round_keys_{};
  std::uint64_t n_ = 0;
  std::uint32_t half_bits_ = 0;
};

}  // namespace sotto
