#include "sotto/privacy/sealed_secret.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <cstring>
#include <memory>

#include "sotto/base/error.h"

namespace sotto {
namespace {

constexpr std::size_t kSaltBytes = 32;
constexpr std::size_t kTagBytes = 16;
constexpr std::size_t kLengthBytes = sizeof(std::uint64_t);
constexpr std::size_t kMaxBytes = std::size_t{1} << 30;  // the cipher counts in int

using Cipher = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

void need(bool ok) {
  if (!ok) throw Error(ErrorKind::io, "a secret cannot be sealed: no cipher or no random bytes");
}

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

/// Of one message alone, so that the nonce may be a constant.
Digest message_key(const Digest& key, std::string_view salt, std::string_view context) {
  return hmac_sha256(key, "sotto sealed 1" + std::string(salt) + std::string(context));
}

Cipher cipher_for(const Digest& key, bool sealing) {
  constexpr unsigned char kNonce[12] = {};
  Cipher cipher(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  need(cipher != nullptr);
  need(EVP_CipherInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, key.data(), kNonce, sealing ? 1 : 0) == 1);
  return cipher;
}

/// A text that leaves no copy behind.
struct Wiped {
  std::string text;
  ~Wiped() { OPENSSL_cleanse(text.data(), text.size()); }
};

}  // namespace

std::string SealedSecret::seal(Sensitive<Vector>&& secret, std::string_view note, const Key& key,
                               std::string_view context) {
  const Vector& values = secret.value_;
  Wiped plain{std::string(kLengthBytes + note.size() + values.size() * sizeof(double), 0)};
  need(plain.text.size() <= kMaxBytes);
  const std::uint64_t note_size = note.size();
  std::memcpy(plain.text.data(), &note_size, kLengthBytes);
  std::memcpy(plain.text.data() + kLengthBytes, note.data(), note.size());
  if (!values.empty()) {
    std::memcpy(plain.text.data() + kLengthBytes + note.size(), values.data(), values.size() * sizeof(double));
  }
  std::string salt(kSaltBytes, 0);
  need(RAND_bytes(bytes_of(salt), kSaltBytes) == 1);
  const Cipher cipher = cipher_for(message_key(key, salt, context), true);
  std::string body(plain.text.size(), 0);
  std::string tag(kTagBytes, 0);
  int count = 0;
  need(EVP_EncryptUpdate(cipher.get(), bytes_of(body), &count, bytes_of(std::string_view(plain.text)),
                         static_cast<int>(plain.text.size())) == 1);
  need(EVP_EncryptFinal_ex(cipher.get(), bytes_of(body) + count, &count) == 1);
  need(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes, tag.data()) == 1);
  return salt + tag + body;
}

SealedSecret::Opened SealedSecret::open(std::string_view sealed, const Key& key, std::string_view context) {
  const auto sound = [](bool ok) {
    if (!ok) throw Error(ErrorKind::invalid_data, "what a shard sent was not sealed with this key for this run");
  };
  sound(sealed.size() >= kSaltBytes + kTagBytes + kLengthBytes && sealed.size() <= kMaxBytes + kSaltBytes + kTagBytes);
  std::string tag(sealed.substr(kSaltBytes, kTagBytes));
  const std::string_view body = sealed.substr(kSaltBytes + kTagBytes);
  const Cipher cipher = cipher_for(message_key(key, sealed.substr(0, kSaltBytes), context), false);
  Wiped plain{std::string(body.size(), 0)};
  int count = 0;
  need(EVP_DecryptUpdate(cipher.get(), bytes_of(plain.text), &count, bytes_of(body), static_cast<int>(body.size())) ==
       1);
  need(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, tag.data()) == 1);
  sound(EVP_DecryptFinal_ex(cipher.get(), bytes_of(plain.text) + count, &count) == 1);
  std::uint64_t note_size = 0;
  std::memcpy(&note_size, plain.text.data(), kLengthBytes);
  const std::size_t rest = plain.text.size() - kLengthBytes;
  sound(note_size <= rest && (rest - note_size) % sizeof(double) == 0);
  Vector values((rest - note_size) / sizeof(double));
  if (!values.empty()) {
    std::memcpy(values.data(), plain.text.data() + kLengthBytes + note_size, values.size() * sizeof(double));
  }
  const std::size_t numbers = values.size();
  return {Sensitive<Vector>(std::move(values)), plain.text.substr(kLengthBytes, note_size), numbers};
}

}  // namespace sotto
