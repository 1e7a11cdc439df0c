#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sotto/files/block_file/file_handle.h"
#include "sotto/random/bit_source.h"

namespace sotto {

/// Puts any number of byte records into a uniformly random order with bounded memory.
class ExternalShuffle {
 public:
  /// Uses at most 3/4 of `memory_bytes`, plus three times the longest record; temporary bytes go to an unnamed file in
  /// `directory`.
  ExternalShuffle(const std::string& directory, std::size_t memory_bytes, BitSource& bits);

  void add(std::span<const std::byte> record);
  /// Hands over every record once, in random order, each aligned to 8 bytes. May be called once, after the last add.
  using Receiver = std::function<void(std::span<const std::byte> record)>;
  void drain(const Receiver& receive);

 private:
  static constexpr std::size_t kFan = 256;
  static constexpr unsigned kFanBits = 8;
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  /// Records whose tickets share a prefix: chunks in the temporary file, each pointing to the one before.
  struct Bucket {
    std::uint64_t last_chunk = kNone;
    std::uint64_t bytes = 0;
    std::uint64_t records = 0;
  };
  using Level = std::array<Bucket, kFan>;
  struct Ticketed {
    std::uint64_t ticket;
    std::uint64_t offset;
  };

  void put(Level& level, unsigned depth, std::span<const std::byte> stamped);
  void flush(Level& level);
  void write_chunk(Bucket& bucket, std::span<const std::byte> bytes);
  template <class Visitor>
  void for_each_chunk(const Bucket& bucket, Visitor&& visit);
  void drain_level(const Level& level, unsigned depth, const Receiver& receive);
  void drain_leaf(const Bucket& bucket, const Receiver& receive);
  void load_leaf(const Bucket& bucket);

  BitSource& bits_;
  FileHandle file_;
  std::uint64_t end_ = 0;
  std::size_t leaf_bytes_;
  std::size_t chunk_bytes_;
  Level first_;
  std::vector<std::vector<std::byte>> pending_;  // one a bucket of the level being filled
  std::vector<std::uint64_t> chunk_;             // words, so that records are aligned
  std::vector<std::uint64_t> leaf_;
  std::vector<Ticketed> order_;
  std::vector<std::byte> stamped_;
};

}  // namespace sotto
