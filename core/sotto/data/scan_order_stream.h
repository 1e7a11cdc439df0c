// The coins of one window of a ScanOrder.
//
// Philox4x64-10 [Salmon11]: ten rounds of a keyed bijection of 256-bit counters. Of the four words k of the scan key
// the first two are its key; its counter is (k[2] + draw, window, pass, k[3]), so that no two (pass, window) share one.
// bounded(n) is uniform on [0, n) exactly: multiply and shift, rejecting the 2^32 mod n surplus values
// [Lemire19]. It orders rows; it is not a source of noise.
// Would fail if wrong: tests/unit/data_scan_order_test.cpp (published vector, uniformity of the window shuffle).
#pragma once
#include <array>
#include <cstdint>

namespace sotto {

class ScanOrderStream {
 public:
  using Key = std::array<std::uint64_t, 2>;
  using Counter = std::array<std::uint64_t, 4>;

  ScanOrderStream(const Key& key, const Counter& start) noexcept : key_(key), counter_(start) {}

  /// Uniform on {0, ..., bound - 1}; bound > 0.
  std::uint32_t bounded(std::uint32_t bound) noexcept {
    std::uint64_t product = std::uint64_t{next32()} * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint32_t surplus = static_cast<std::uint32_t>(-bound) % bound;
      while (static_cast<std::uint32_t>(product) < surplus) product = std::uint64_t{next32()} * bound;
    }
    return static_cast<std::uint32_t>(product >> 32U);
  }

  static Counter philox(Counter c, Key k) noexcept {
    for (int round = 0; round < 10; ++round) {
      const Product a = multiply(0xD2E7470EE14C6C93U, c[0]);
      const Product b = multiply(0xCA5A826395121157U, c[2]);
      c = {b.high ^ c[1] ^ k[0], b.low, a.high ^ c[3] ^ k[1], a.low};
      k[0] += 0x9E3779B97F4A7C15U;
      k[1] += 0xBB67AE8584CAA73BU;
    }
    return c;
  }

 private:
  struct Product {
    std::uint64_t high;
    std::uint64_t low;
  };
  __extension__ using Wide = unsigned __int128;
  static Product multiply(std::uint64_t a, std::uint64_t b) noexcept {
    const Wide wide = static_cast<Wide>(a) * b;
    return {static_cast<std::uint64_t>(wide >> 64U), static_cast<std::uint64_t>(wide)};
  }

  std::uint32_t next32() noexcept {
    if (used_ == 8) {
      block_ = philox(counter_, key_);
      ++counter_[0];
      used_ = 0;
    }
    const std::uint64_t word = block_[used_ / 2];
    return static_cast<std::uint32_t>(used_++ % 2 == 0 ? word : word >> 32U);
  }

  Key key_;
  Counter counter_;
  Counter block_{};
  unsigned used_ = 8;
};

}  // namespace sotto
