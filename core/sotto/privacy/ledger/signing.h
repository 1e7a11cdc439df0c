#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "sotto/base/sha256.h"

/// Ed25519 signatures by OpenSSL: what a ledger releases can be told from an edited file without the ledger.
namespace sotto {

struct PublicKey {
  std::array<std::uint8_t, 32> bytes{};
  bool operator==(const PublicKey&) const = default;
};

/// 64 small hexadecimal digits, as cards state it.
std::string hex_of(const PublicKey& key);
/// SubjectPublicKeyInfo between "-----BEGIN PUBLIC KEY-----" and its end, as other programs read it.
std::string pem_of(const PublicKey& key);
/// Reads either spelling. Throws Error{invalid_data} for anything else, a private key included.
PublicKey public_key_from(const std::string& text);

/// The key pair of a ledger. It follows from the random key that every ledger has had since its creation, by
/// HMAC-SHA-256 under a label of its own. The terms of the ledger hold a digest of that key, so that neither can be
/// exchanged. Anyone who can read the ledger's file can sign.
class SigningKey {
 public:
  explicit SigningKey(const Digest& ledger_key);
  SigningKey(const SigningKey&) = delete;
  SigningKey& operator=(const SigningKey&) = delete;
  ~SigningKey();

  PublicKey public_key() const;
  /// 128 small hexadecimal digits, the same for the same text.
  std::string sign(std::string_view text) const;

 private:
  Digest seed_;
};

/// Whether `signature`, in the spelling of SigningKey::sign, is one of exactly this text by this key.
bool is_signed(const PublicKey& key, std::string_view text, std::string_view signature);

}  // namespace sotto
