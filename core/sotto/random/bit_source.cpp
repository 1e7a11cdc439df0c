// The bit stream of spec 5.1: words are the key stream of AES-256 in counter mode (AesStream where the processor has
// wide AES instructions, else libcrypto: the same words), key and nonce from getrandom(2). At most kBytesPerKey bytes
// leave under one key, far below the birthday bound 2^64 blocks. A fork is noticed through a counter that the child
// increments before fork() returns to it; whatever was buffered is then discarded and a new key drawn, so that parent
// and child share no bit.
// Fails if wrong: random_bit_source_test (fork, threads, distinct sources, published key stream, re-keying).
#include "sotto/random/bit_source.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/random/aes_stream.h"

namespace sotto {
namespace {

constexpr std::size_t kBytesPerKey = std::size_t{64} << 20;
// Spans shorter than this are copied from the buffer: a call of the cipher costs as much as 100 words.
constexpr std::size_t kDirectWords = 2 * BitSource::kBufferWords;
constexpr std::size_t kChunkWords = 1024;

struct KeyMaterial {
  AesStream::Key key;
  std::uint64_t nonce;
};

[[noreturn]] void fail(const char* what) { throw Error(ErrorKind::internal, what); }

void read_entropy(std::span<unsigned char> out) {
  while (!out.empty()) {
    const ssize_t got = getrandom(out.data(), out.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail("random bits: the operating system gives no entropy");
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

KeyMaterial expand_seed(ReproducibleSeed seed) {
  static constexpr char kLabel[] = "sotto reproducible stream, not private";
  std::array<unsigned char, sizeof kLabel + 8> text{};
  std::memcpy(text.data(), kLabel, sizeof kLabel);
  for (std::size_t i = 0; i < 8; ++i) {
    text[sizeof kLabel + i] = static_cast<unsigned char>(seed.value >> (8 * i));
  }
  KeyMaterial material{};
  if (EVP_Digest(text.data(), text.size(), material.key.data(), nullptr, EVP_sha256(), nullptr) != 1) {
    fail("random bits: SHA-256 is not available");
  }
  return material;
}

}  // namespace

struct BitSource::Cipher {
  EVP_CIPHER_CTX* context = nullptr;  // none where AesStream is available
  AesStream wide;
  std::size_t bytes_left = 0;

  Cipher() {
    if (AesStream::available()) return;
    context = EVP_CIPHER_CTX_new();
    if (context == nullptr) fail("random bits: out of memory");
  }
  Cipher(const Cipher&) = delete;
  Cipher& operator=(const Cipher&) = delete;
  ~Cipher() {
    EVP_CIPHER_CTX_free(context);  // wipes its key schedule
    wide.wipe();
  }

  void key(const KeyMaterial& material) {
    bytes_left = kBytesPerKey;
    if (context == nullptr) {
      wide.set_key(material.key, material.nonce);
      return;
    }
    std::array<unsigned char, 16> counter{};
    for (std::size_t i = 0; i < 8; ++i) counter[i] = static_cast<unsigned char>(material.nonce >> (56 - 8 * i));
    if (EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nullptr, material.key.data(), counter.data()) != 1) {
      fail("random bits: AES-256 in counter mode is not available");
    }
  }

  void key_from_system() {
    KeyMaterial material;
    read_entropy(std::span(reinterpret_cast<unsigned char*>(&material), sizeof material));
    key(material);
    OPENSSL_cleanse(&material, sizeof material);
  }

  void stream(std::span<std::uint64_t> words) {
    if (context == nullptr) {
      wide.write(words);
      return;
    }
    static constexpr std::array<unsigned char, 8 * kChunkWords> kZeros{};
    int written = 0;
    const int bytes = static_cast<int>(words.size_bytes());
    auto* out = reinterpret_cast<unsigned char*>(words.data());
    if (EVP_EncryptUpdate(context, out, &written, kZeros.data(), bytes) != 1 || written != bytes) {
      fail("random bits: the cipher failed");
    }
  }
};

BitSource::BitSource() : cipher_(std::make_unique<Cipher>()) {
  if (!count_forks()) fail("random bits: forks cannot be noticed");
  epoch_ = fork_epoch();
  cipher_->key_from_system();
}

BitSource::BitSource(ReproducibleSeed seed) : cipher_(std::make_unique<Cipher>()), private_(false) {
  if (!count_forks()) fail("random bits: forks cannot be noticed");
  epoch_ = fork_epoch();
  cipher_->key(expand_seed(seed));
}

BitSource::BitSource(BitSource&& other) noexcept { *this = std::move(other); }

BitSource& BitSource::operator=(BitSource&& other) noexcept {
  if (this == &other) return *this;
  cipher_ = std::move(other.cipher_);
  cursor_ = std::exchange(other.cursor_, kBufferWords);
  epoch_ = other.epoch_;
  private_ = other.private_;
  buffer_ = other.buffer_;
  OPENSSL_cleanse(other.buffer_.data(), sizeof other.buffer_);
  return *this;
}

BitSource::~BitSource() { OPENSSL_cleanse(buffer_.data(), sizeof buffer_); }

void BitSource::notice_fork() noexcept {
  if (epoch_ == fork_epoch()) return;
  epoch_ = fork_epoch();
  if (!private_) return;  // a stream that repeats repeats in the child too
  cursor_ = kBufferWords;
  OPENSSL_cleanse(buffer_.data(), sizeof buffer_);
  cipher_->key_from_system();
}

void BitSource::generate(std::span<std::uint64_t> words) noexcept {
  while (!words.empty()) {
    const auto chunk = words.first(std::min(words.size(), kChunkWords));
    if (private_) {
      if (cipher_->bytes_left < chunk.size_bytes()) cipher_->key_from_system();
      cipher_->bytes_left -= chunk.size_bytes();
    }
    cipher_->stream(chunk);
    words = words.subspan(chunk.size());
  }
}

void BitSource::refill() noexcept {
  notice_fork();
  if (cursor_ < kBufferWords) return;
  generate(std::span(buffer_).first(kBufferWords));
  cursor_ = 0;
}

void BitSource::skip_to(std::size_t count) noexcept {
  notice_fork();
  if (cursor_ + count <= kBufferWords) return;
  cursor_ = kBufferWords;
  refill();
}

void BitSource::fill(std::span<std::uint64_t> words) noexcept {
  notice_fork();
  if (words.size() >= kDirectWords) {
    const std::size_t direct = words.size() / kChunkWords * kChunkWords;
    generate(words.first(direct));
    words = words.subspan(direct);
  }
  while (!words.empty()) {
    if (cursor_ == kBufferWords) refill();
    const std::size_t count = std::min(words.size(), kBufferWords - cursor_);
    std::memcpy(words.data(), buffer_.data() + cursor_, 8 * count);
    cursor_ += count;
    words = words.subspan(count);
  }
}

}  // namespace sotto
