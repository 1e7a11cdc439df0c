#include "sotto/privacy/ledger/signing.h"

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <algorithm>
#include <memory>

#include "sotto/base/error.h"

namespace sotto {
namespace {

constexpr std::size_t kSignatureBytes = 64;

using PkeyPointer = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using BioPointer = std::unique_ptr<BIO, decltype(&BIO_free)>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;
using SignatureBytes = std::array<std::uint8_t, kSignatureBytes>;

void need_signing(bool ok) {
  if (!ok) throw Error(ErrorKind::internal, "OpenSSL cannot sign with Ed25519");
}

const unsigned char* unsigned_bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

PkeyPointer opened_public(const PublicKey& key) {
  PkeyPointer pkey(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, key.bytes.data(), key.bytes.size()),
                   EVP_PKEY_free);
  need_signing(pkey != nullptr);
  return pkey;
}

PkeyPointer opened_secret(const Digest& seed) {
  PkeyPointer pkey(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, seed.data(), seed.size()), EVP_PKEY_free);
  need_signing(pkey != nullptr);
  return pkey;
}

/// Two digests in 64 digits each are the spelling of a signature.
bool signature_from_hex(std::string_view text, SignatureBytes& signature) {
  Digest first{};
  Digest second{};
  if (text.size() != 4 * first.size()) return false;
  if (!digest_from_hex(text.substr(0, 64), first) || !digest_from_hex(text.substr(64), second)) return false;
  std::copy(first.begin(), first.end(), signature.begin());
  std::copy(second.begin(), second.end(), signature.begin() + first.size());
  return true;
}

// For an encrypted PEM a password would be asked for on the terminal.
int no_password(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*context*/) { return -1; }

}  // namespace

std::string hex_of(const PublicKey& key) { return hex_of(Digest(key.bytes)); }

std::string pem_of(const PublicKey& key) {
  const PkeyPointer pkey = opened_public(key);
  const BioPointer out(BIO_new(BIO_s_mem()), BIO_free);
  need_signing(out != nullptr && PEM_write_bio_PUBKEY(out.get(), pkey.get()) == 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(out.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

PublicKey public_key_from(const std::string& text) {
  PublicKey key;
  const std::string_view bare = std::string_view(text).substr(0, text.find_last_not_of(" \t\r\n") + 1);
  if (Digest digits{}; digest_from_hex(bare, digits)) {
    key.bytes = digits;
    return key;
  }
  const BioPointer in(BIO_new_mem_buf(text.data(), static_cast<int>(std::min<std::size_t>(text.size(), 1U << 16U))),
                      BIO_free);
  const PkeyPointer pkey(in ? PEM_read_bio_PUBKEY(in.get(), nullptr, no_password, nullptr) : nullptr, EVP_PKEY_free);
  std::size_t size = key.bytes.size();
  if (pkey && EVP_PKEY_id(pkey.get()) == EVP_PKEY_ED25519 &&
      EVP_PKEY_get_raw_public_key(pkey.get(), key.bytes.data(), &size) == 1 && size == key.bytes.size()) {
    return key;
  }
  throw Error(ErrorKind::invalid_data, "key: is no public key of a ledger (PEM, Ed25519)", "key",
              {HintKind::public_key});
}

SigningKey::SigningKey(const Digest& ledger_key) : seed_(hmac_sha256(ledger_key, "sotto signing key 1")) {}

SigningKey::~SigningKey() { OPENSSL_cleanse(seed_.data(), seed_.size()); }

PublicKey SigningKey::public_key() const {
  PublicKey key;
  std::size_t size = key.bytes.size();
  need_signing(EVP_PKEY_get_raw_public_key(opened_secret(seed_).get(), key.bytes.data(), &size) == 1);
  return key;
}

std::string SigningKey::sign(std::string_view text) const {
  const PkeyPointer pkey = opened_secret(seed_);
  const DigestContext context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  SignatureBytes signature{};
  std::size_t size = signature.size();
  need_signing(context != nullptr && EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, pkey.get()) == 1 &&
               EVP_DigestSign(context.get(), signature.data(), &size, unsigned_bytes(text), text.size()) == 1 &&
               size == signature.size());
  Digest first{};
  Digest second{};
  std::copy_n(signature.begin(), first.size(), first.begin());
  std::copy_n(signature.begin() + first.size(), second.size(), second.begin());
  return hex_of(first) + hex_of(second);
}

bool is_signed(const PublicKey& key, std::string_view text, std::string_view signature) {
  SignatureBytes bytes{};
  if (!signature_from_hex(signature, bytes)) return false;
  const PkeyPointer pkey = opened_public(key);
  const DigestContext context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  need_signing(context != nullptr && EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, pkey.get()) == 1);
  return EVP_DigestVerify(context.get(), bytes.data(), bytes.size(), unsigned_bytes(text), text.size()) == 1;
}

}  // namespace sotto
