#pragma once
#include <array>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "sotto/linalg/float_noise.h"
#include "sotto/linalg/vector.h"
#include "sotto/privacy/mechanism.h"
#include "sotto/random/bit_source.h"
#include "sotto/random/fork_epoch.h"
#include "sotto/random/grid_noise.h"

namespace sotto {

/// How step noise is drawn. The safe path is the release path of spec 5.2; the fast path uses float-grade noise that
/// does not withstand attacks on the low bits, and the card says so.
enum class NoisePath { safe, fast };
constexpr auto enum_names(NoisePath) {
  return std::array{std::pair{std::string_view("safe"), NoisePath::safe},
                    std::pair{std::string_view("fast"), NoisePath::fast}};
}

/// How many vectors are wanted, and how many rows are read between two of them; both public.
struct NoiseDemand {
  NoiseDemand(std::uint64_t vectors, std::uint64_t rows_between = 1) noexcept  // NOLINT(google-explicit-constructor)
      : draws(vectors), rows_a_draw(rows_between) {}
  std::uint64_t draws;
  std::uint64_t rows_a_draw;
};

/// Noise vectors drawn in bulk, ahead of their use: noise depends on no row, so where enough rows are read between two
/// of many draws a thread of its own makes the next blocks while steps are taken; else the reader would only wait for
/// it. The vectors come in the same sequence with and without the thread. From construction to destruction nobody else
/// may draw from `bits`. A child process after fork uses none of what its parent had drawn: it draws its own.
class NoiseSupply {
 public:
  NoiseSupply(BitSource& bits, const Mechanism& mechanism, NoisePath path, NoiseDemand demand);
  ~NoiseSupply();
  NoiseSupply(const NoiseSupply&) = delete;
  NoiseSupply& operator=(const NoiseSupply&) = delete;

  /// The next vector of the safe path: whole multiples of the grid step, in natural units; valid until the next call.
  /// Call at most `draws` times.
  const double* next() noexcept {
    const std::size_t i = next_vector();
    return blocks_[current_].values.data() + i * dimension_;
  }
  /// The same for the fast path.
  kernels::FloatNoise next_fast() noexcept {
    const std::size_t i = next_vector();
    return {blocks_[current_].factors[i], blocks_[current_].normals.data() + i * dimension_};
  }

 private:
  static constexpr std::size_t kBlocks = 3;
  struct Block {
    AlignedVector values;                                   // safe path
    std::vector<float, CacheLineAllocator<float>> normals;  // fast path
    std::vector<double> factors;
    std::size_t vectors = 0;
  };
  /// The place of the next vector in the current block, which may become another one: look at current_ after the call.
  std::size_t next_vector() noexcept {
    if (epoch_ != fork_epoch()) leave_parent();
    if (used_ == blocks_[current_].vectors) take_block();
    --left_;
    return used_++;
  }
  void make_room(Block& block);
  void fill(Block& block) noexcept;
  void draw(std::span<double> values) noexcept;
  void draw_fast(const FactoredNoise& noise) noexcept;
  void produce() noexcept;
  void take_block() noexcept;
  void await_block() noexcept;
  void leave_parent() noexcept;

  BitSource* bits_;
  const Mechanism mechanism_;
  const NoisePath path_;
  const std::size_t dimension_;
  const bool threaded_;
  const std::size_t vectors_a_draw_;
  const std::size_t vectors_a_block_;  // whole draws, so that the sequence does not depend on it
  std::uint64_t to_draw_;              // by whoever fills
  std::array<Block, kBlocks> blocks_;
  std::vector<std::int64_t> integers_;
  std::size_t current_ = kBlocks - 1;  // the block `next` reads from
  std::size_t used_ = 0;               // vectors of it

  std::uint64_t left_;  // vectors still to be asked for
  std::uint64_t epoch_ = fork_epoch();
  std::optional<BitSource> own_bits_;  // of a child process

  /// Between reader and producer. Waiting sleeps instead of spinning: where cores share their units a spinning reader
  /// slows the producer down.
  struct Handover {
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t filled = 0;          // blocks ready to be read; guarded by mutex, as are the next two
    std::size_t free = kBlocks - 1;  // blocks that may be filled
    bool stop = false;
    std::thread producer;
  };
  std::unique_ptr<Handover> handover_;  // none without a thread
};

}  // namespace sotto
