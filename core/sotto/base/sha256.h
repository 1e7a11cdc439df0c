#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace sotto {

/// A SHA-256 digest. It identifies bytes and hides nothing.
using Digest = std::array<std::uint8_t, 32>;

/// 64 small hexadecimal digits.
std::string hex_of(const Digest& digest);
/// False unless `text` is exactly what hex_of writes.
bool digest_from_hex(std::string_view text, Digest& digest) noexcept;

/// SHA-256 of bytes that come in pieces.
class Sha256 {
 public:
  Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  ~Sha256();

  void add(std::span<const char> bytes);
  /// Adds the length and the bytes, so that the boundaries between consecutive texts are part of what is hashed.
  void add_text(std::string_view text);
  void add_number(std::uint64_t value);
  /// The digest of everything added; to be called once.
  Digest finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

Digest sha256(std::string_view bytes);
/// HMAC-SHA-256: a digest that cannot be made or compared without the key.
Digest hmac_sha256(const Digest& key, std::string_view bytes);

}  // namespace sotto
