#pragma once
#include <array>
#include <cstdint>
#include <span>

namespace sotto {

/// AES-256 in counter mode on processors with wide AES instructions, where it is twice as fast as libcrypto's. Same key
/// stream: block i is the encryption of the 16 bytes (nonce, i), both big-endian.
class AesStream {
 public:
  using Key = std::array<unsigned char, 32>;

  /// Whether this processor has the instructions; otherwise nothing else here may be called.
  static bool available() noexcept;

  void set_key(const Key& key, std::uint64_t nonce) noexcept;
  /// The next key stream; an even number of words.
  void write(std::span<std::uint64_t> words) noexcept;
  void wipe() noexcept;

 private:
  static constexpr std::size_t kRoundKeys = 15;
  alignas(16) std::array<unsigned char, 16 * kRoundKeys> round_keys_{};
  std::uint64_t nonce_ = 0;
  std::uint64_t counter_ = 0;
};

}  // namespace sotto
