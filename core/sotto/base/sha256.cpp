#include "sotto/base/sha256.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <utility>

#include "sotto/base/error.h"

namespace sotto {
namespace {

void need(bool ok) {
  if (!ok) throw Error(ErrorKind::internal, "SHA-256 is not available");
}

int nibble(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

std::string hex_of(const Digest& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

bool digest_from_hex(std::string_view text, Digest& digest) noexcept {
  if (text.size() != 2 * digest.size()) return false;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    const int high = nibble(text[2 * i]), low = nibble(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    digest[i] = static_cast<std::uint8_t>(16 * high + low);
  }
  return true;
}

namespace {

/// One that is not in use, for the next hash of this thread; allocating one takes longer than hashing a row.
struct Spare {
  EVP_MD_CTX* evp = nullptr;
  Spare() = default;
  Spare(const Spare&) = delete;
  Spare& operator=(const Spare&) = delete;
  ~Spare() { EVP_MD_CTX_free(evp); }
};
thread_local Spare spare;

}  // namespace

struct Sha256::Context {
  EVP_MD_CTX* evp = spare.evp != nullptr ? std::exchange(spare.evp, nullptr) : EVP_MD_CTX_new();
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { EVP_MD_CTX_free(std::exchange(spare.evp, evp)); }
};

namespace {

/// Looked up once: a hash a row would look it up a row.
const EVP_MD* method() {
  static const EVP_MD* const found = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  need(found != nullptr);
  return found;
}

}  // namespace

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  need(context_->evp != nullptr && EVP_DigestInit_ex(context_->evp, method(), nullptr) == 1);
}
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;
Sha256::~Sha256() = default;

void Sha256::add(std::span<const char> bytes) {
  need(EVP_DigestUpdate(context_->evp, bytes.data(), bytes.size()) == 1);
}

void Sha256::add_text(std::string_view text) {
  add_number(text.size());
  add(text);
}

void Sha256::add_number(std::uint64_t value) {
  std::array<char, 8> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>((value >> (8 * i)) & 255U);
  add(bytes);
}

Digest Sha256::finish() {
  Digest digest{};
  unsigned length = 0;
  need(EVP_DigestFinal_ex(context_->evp, digest.data(), &length) == 1 && length == digest.size());
  return digest;
}

Digest sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.finish();
}

Digest hmac_sha256(const Digest& key, std::string_view bytes) {
  Digest digest{};
  need(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
            reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data(), nullptr) != nullptr);
  return digest;
}

}  // namespace sotto
