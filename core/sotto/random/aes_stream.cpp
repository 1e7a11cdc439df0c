// AES-256 (FIPS 197) in counter mode (SP 800-38A) with vector AES instructions, four blocks a register, eight registers
// in flight. Key expansion: w[i] = w[i-8] xor g(w[i-1]), g = SubWord RotWord + Rcon at multiples of 8, SubWord at 4 mod
// 8; SubWord is one last round on a block of four equal columns, which ShiftRows leaves alone. No table is indexed by a
// secret. Only the AVX3_DL target has code; elsewhere libcrypto does the work.
// Fails if wrong: random_bit_source_test (the stream equals libcrypto's).
#include "sotto/random/aes_stream.h"

#include <openssl/crypto.h>

#include <bit>
#include <cstdlib>
#include <cstring>

#define HWY_WANT_AVX3_DL 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sotto/random/aes_stream.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#ifndef SOTTO_AES_REQUEST
#define SOTTO_AES_REQUEST
namespace sotto {

struct CounterRange {
  const unsigned char* round_keys;
  std::uint64_t nonce;
  std::uint64_t counter;
};

}  // namespace sotto
#endif

HWY_BEFORE_NAMESPACE();
namespace sotto {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3_DL
namespace hn = hwy::HWY_NAMESPACE;
using Block = hn::FixedTag<std::uint8_t, 16>;
using Bytes = hn::ScalableTag<std::uint8_t>;
using Quads = hn::ScalableTag<std::uint64_t>;

HWY_INLINE std::uint32_t substitute_word(std::uint32_t word) {
  const Block block;
  const hn::FixedTag<std::uint32_t, 4> words;
  const auto columns = hn::BitCast(block, hn::Set(words, word));
  return hn::GetLane(hn::BitCast(words, hn::AESLastRound(columns, hn::Zero(block))));
}

void expand_key(const unsigned char* key, unsigned char* round_keys) {
  std::uint32_t w[60];
  std::memcpy(w, key, 32);
  std::uint32_t rcon = 1;
  for (int i = 8; i < 60; ++i) {
    std::uint32_t word = w[i - 1];
    if (i % 8 == 0) {
      word = substitute_word(std::rotr(word, 8)) ^ rcon;
      rcon <<= 1;
    } else if (i % 8 == 4) {
      word = substitute_word(word);
    }
    w[i] = w[i - 8] ^ word;
  }
  std::memcpy(round_keys, w, sizeof w);
  OPENSSL_cleanse(w, sizeof w);
}

// kVectors registers of four blocks each, from block `first` on.
template <int kVectors>
HWY_INLINE void write_blocks(const CounterRange& range, std::uint64_t first, unsigned char* out) {
  const Bytes bytes;
  const Quads quads;
  alignas(16) static constexpr std::uint8_t kSwap[16] = {7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8};
  const auto swap = hn::LoadDup128(bytes, kSwap);
  alignas(64) static constexpr std::uint64_t kFirst[8] = {0, 0, 0, 1, 0, 2, 0, 3};
  alignas(64) static constexpr std::uint64_t kStep[8] = {0, 4, 0, 4, 0, 4, 0, 4};
  auto counters = hn::OddEven(hn::Set(quads, first), hn::Set(quads, range.nonce));
  counters = hn::Add(counters, hn::Load(quads, kFirst));
  hn::Vec<Bytes> state[kVectors];
  const auto whitening = hn::LoadDup128(bytes, range.round_keys);
  for (auto& s : state) {
    s = hn::Xor(hn::TableLookupBytes(hn::BitCast(bytes, counters), swap), whitening);
    counters = hn::Add(counters, hn::Load(quads, kStep));
  }
  for (int round = 1; round < 14; ++round) {
    const auto key = hn::LoadDup128(bytes, range.round_keys + 16 * round);
    for (auto& s : state) s = hn::AESRound(s, key);
  }
  const auto last = hn::LoadDup128(bytes, range.round_keys + 16 * 14);
  for (int i = 0; i < kVectors; ++i) hn::StoreU(hn::AESLastRound(state[i], last), bytes, out + 64 * i);
}

void write_stream(const CounterRange& range, unsigned char* out, std::size_t blocks) {
  std::uint64_t counter = range.counter;
  for (; blocks >= 32; blocks -= 32, counter += 32, out += 512) write_blocks<8>(range, counter, out);
  for (; blocks >= 4; blocks -= 4, counter += 4, out += 64) write_blocks<1>(range, counter, out);
  if (blocks == 0) return;
  alignas(64) unsigned char rest[64];
  write_blocks<1>(range, counter, rest);
  std::memcpy(out, rest, 16 * blocks);
  OPENSSL_cleanse(rest, sizeof rest);
}

bool has_wide_aes() { return true; }
#else
// Asked first; whoever did not ask must not go on with words that nobody wrote.
bool has_wide_aes() { return false; }
void expand_key(const unsigned char*, unsigned char*) { std::abort(); }
void write_stream(const CounterRange&, unsigned char*, std::size_t) { std::abort(); }
#endif

}  // namespace HWY_NAMESPACE
}  // namespace sotto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto {
HWY_EXPORT(has_wide_aes);
HWY_EXPORT(expand_key);
HWY_EXPORT(write_stream);

bool AesStream::available() noexcept { return HWY_DYNAMIC_DISPATCH(has_wide_aes)(); }

void AesStream::set_key(const Key& key, std::uint64_t nonce) noexcept {
  HWY_DYNAMIC_DISPATCH(expand_key)(key.data(), round_keys_.data());
  nonce_ = nonce;
  counter_ = 0;
}

void AesStream::write(std::span<std::uint64_t> words) noexcept {
  const std::size_t blocks = words.size() / 2;
  HWY_DYNAMIC_DISPATCH(write_stream)
  ({round_keys_.data(), nonce_, counter_}, reinterpret_cast<unsigned char*>(words.data()), blocks);
  counter_ += blocks;
}

void AesStream::wipe() noexcept { OPENSSL_cleanse(round_keys_.data(), round_keys_.size()); }

}  // namespace sotto
#endif
