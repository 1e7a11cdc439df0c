// A permutation of [0, n): a balanced Feistel network [LubyRackoff88] of 8 rounds on 2h bits, n <= 4^h, h >= 3,
// applied again while the image is >= n (cycle walking, [BlackRogaway02]): a bijection of [0, n) whatever the round
// function, in at most max(4, 64/n) applications on average. Round function: the finaliser of SplitMix64 keyed before
// and after.
// Fails if wrong: random_permutation_test (bijection for many n, dependence on key and tweak, uniformity at small n).
#include "sotto/random/permutation.h"

#include <algorithm>
#include <bit>

namespace sotto {
namespace {

// Over fewer than 64 points 8 rounds leave some orders visibly more likely than others.
constexpr std::uint32_t kMinHalfBits = 3;

std::uint64_t mix(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

KeyedPermutation::KeyedPermutation(const Key& key, std::uint64_t tweak, std::uint64_t n) noexcept : n_(n) {
  const auto bits = static_cast<std::uint32_t>(std::bit_width(n > 0 ? n - 1 : 0));
  half_bits_ = std::max(kMinHalfBits, (bits + 1) / 2);
  std::uint64_t state = mix(tweak + 0x9e3779b97f4a7c15) ^ n;
  for (std::uint64_t& round_key : round_keys_) {
    for (const std::uint64_t part : key) state = mix((state ^ part) + 0x9e3779b97f4a7c15);
    round_key = state;
  }
}

std::uint64_t KeyedPermutation::operator()(std::uint64_t index) const noexcept {
  if (n_ < 2) return 0;
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  do {
    std::uint64_t left = index >> half_bits_;
    std::uint64_t right = index & mask;
    for (const std::uint64_t round_key : round_keys_) {
      const std::uint64_t mixed = mix(right ^ round_key) + round_key;
      // The high half: every bit of a product depends on all lower ones.
      const std::uint64_t next = left ^ (mix(mixed) >> (64 - half_bits_));
      left = right;
      right = next;
    }
    index = left << half_bits_ | right;
  } while (index >= n_);
  return index;
}

}  // namespace sotto
