#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <vector>

#include "sotto/random/aes_stream.h"

namespace sotto {
namespace {

/// The same key stream by libcrypto.
std::vector<std::uint64_t> by_libcrypto(const AesStream::Key& key, std::uint64_t nonce, std::size_t words) {
  std::array<unsigned char, 16> counter{};
  for (std::size_t i = 0; i < 8; ++i) counter[i] = static_cast<unsigned char>(nonce >> (56 - 8 * i));
  std::vector<std::uint64_t> out(words, 0);
  const std::vector<unsigned char> zeros(8 * words, 0);
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  int written = 0;
  EXPECT_EQ(EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nullptr, key.data(), counter.data()), 1);
  EXPECT_EQ(EVP_EncryptUpdate(context, reinterpret_cast<unsigned char*>(out.data()), &written, zeros.data(),
                              static_cast<int>(8 * words)),
            1);
  EVP_CIPHER_CTX_free(context);
  return out;
}

TEST(AesStream, EqualsLibcryptoForEveryKeyAndLength) {
  if (!AesStream::available()) GTEST_SKIP() << "no wide AES instructions";
  for (unsigned seed = 0; seed < 50; ++seed) {
    AesStream::Key key;
    for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<unsigned char>(seed * 37 + i * 11 + seed * i);
    const std::uint64_t nonce = 0x0123456789abcdef * (seed + 1);
    AesStream stream;
    stream.set_key(key, nonce);
    std::vector<std::uint64_t> words;
    for (std::size_t count = 2; count < 200; count += 2 + 2 * seed) {  // whole and broken groups of blocks
      std::vector<std::uint64_t> part(count);
      stream.write(part);
      words.insert(words.end(), part.begin(), part.end());
    }
    EXPECT_EQ(words, by_libcrypto(key, nonce, words.size()));
  }
}

}  // namespace
}  // namespace sotto
