#pragma once
#include <array>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "sotto/linalg/vector.h"
#include "sotto/privacy/mechanism.h"
#include "sotto/random/bit_source.h"
#include "sotto/random/fork_epoch.h"
#include "sotto/random/grid_noise.h"

namespace sotto {

/// How many vectors are needed, and how many rows are read between two of them. Both are public.
struct NoiseDemand {
  NoiseDemand(std::uint64_t vectors, std::uint64_t rows_between = 1) noexcept  // NOLINT(google-explicit-constructor)
      : draws(vectors), rows_a_draw(rows_between) {}
  std::uint64_t draws;
  std::uint64_t rows_a_draw;
};

/// Noise vectors drawn in bulk, ahead of their use, in blocks. Noise depends on no row, so a thread of its own can make
/// blocks while steps are taken: all but the first where enough rows are read between two vectors, else every second
/// one, since its reader is then as busy making noise as it is stepping. Which blocks and from which of two streams is
/// public and fixed in advance: the vectors are the same with and without the thread. From construction to destruction
/// nobody else may draw from `bits`. A child process after fork uses none of what its parent had drawn: it draws its
/// own.
class NoiseSupply {
 public:
  NoiseSupply(BitSource& bits, const Mechanism& mechanism, NoiseDemand demand);
  ~NoiseSupply();
  NoiseSupply(const NoiseSupply&) = delete;
  NoiseSupply& operator=(const NoiseSupply&) = delete;

  /// The next vector: whole multiples of the grid step, in natural units; valid until the next call.
  /// Call at most `draws` times.
  const double* next() noexcept {
    const std::size_t i = next_vector();
    return current_->values.data() + i * dimension_;
  }

 private:
  static constexpr std::size_t kBlocks = 6;
  static constexpr std::size_t kFreeToWake = 4;  // waking a thread costs as much as many vectors
  struct Block {
    AlignedVector values;
    std::size_t vectors = 0;
  };
  /// One drawing side, reader or producer: its stream, and one draw in its own cache.
  struct Maker {
    BitSource* bits = nullptr;
    Block drawn;
    std::vector<std::int64_t> integers;
  };
  /// The place of the next vector in the current block, which may become another one: look at current_ after the call.
  std::size_t next_vector() noexcept {
    if (epoch_ != fork_epoch()) leave_parent();
    if (used_ == current_->vectors) take_block();
    return used_++;
  }
  /// Whether the other stream makes this block.
  bool is_other(std::uint64_t block) const noexcept { return block > 0 && (leaves_all_ || block % 2 == 1); }
  void prepare(Maker& maker, BitSource& bits) const;
  void draw(Maker& maker, std::size_t vectors) const noexcept;
  void fill(Block& block, std::uint64_t first) noexcept;
  void produce() noexcept;
  void take_block() noexcept;
  void draw_next() noexcept;
  void await_block() noexcept;
  void leave_parent() noexcept;

  const Mechanism mechanism_;
  const std::size_t dimension_;
  const std::uint64_t draws_;
  const bool leaves_all_;
  const std::size_t vectors_a_draw_;
  const std::size_t vectors_a_block_;  // whole draws
  std::unique_ptr<BitSource> other_bits_;
  Maker own_;
  Maker other_;  // the producer's where there is one

  const Block* current_ = &own_.drawn;  // the vectors `next` reads
  std::size_t used_ = 0;                // of them
  std::uint64_t taken_ = 0;             // vectors handed out before and with them
  std::uint64_t epoch_ = fork_epoch();

  /// Between reader and producer. Waiting sleeps instead of spinning: where cores share their units a spinning reader
  /// slows the producer down.
  struct Handover {
    std::array<Block, kBlocks> blocks;
    std::size_t next = 0;  // of them, to be read
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t filled = 0;      // blocks ready to be read; guarded by mutex, as are the next two
    std::size_t free = kBlocks;  // blocks that may be filled
    bool stop = false;
    std::thread producer;
  };
  std::unique_ptr<Handover> handover_;  // none without a thread
};

}  // namespace sotto
