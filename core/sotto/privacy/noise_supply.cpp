#include "sotto/privacy/noise_supply.h"

#include <algorithm>

#include "sotto/base/threads.h"
#include "sotto/linalg/kernels.h"

namespace sotto {
namespace {

constexpr std::size_t kDrawValues = 2048;          // drawn at once: stay in the first-level cache
constexpr std::size_t kBlockValues = 32768;        // 256 KB a block of a thread: few hand-overs
constexpr std::uint64_t kDrawsWorthAThread = 256;  // fewer are drawn sooner than a thread starts
constexpr std::uint64_t kRowsWorthAThread = 4;     // fewer are read sooner than a vector is drawn

bool wants_thread(const NoiseDemand& demand) noexcept {
  return demand.draws >= kDrawsWorthAThread && demand.rows_a_draw >= kRowsWorthAThread && allowed_threads() > 1;
}

std::size_t draws_a_block(bool threaded, std::size_t values_a_draw) noexcept {
  return threaded ? std::max<std::size_t>(1, kBlockValues / values_a_draw) : 1;
}

}  // namespace

NoiseSupply::NoiseSupply(BitSource& bits, const Mechanism& mechanism, NoisePath path, NoiseDemand demand)
    : bits_(&bits),
      mechanism_(mechanism),
      path_(path),
      dimension_(base_of(mechanism).dimension),
      threaded_(wants_thread(demand)),
      vectors_a_draw_(std::clamp<std::size_t>(kDrawValues / dimension_, 1, std::max<std::uint64_t>(demand.draws, 1))),
      vectors_a_block_(vectors_a_draw_ * draws_a_block(threaded_, vectors_a_draw_ * dimension_)),
      to_draw_(demand.draws),
      left_(demand.draws) {
  for (std::size_t i = 0; i < (threaded_ ? kBlocks : 1); ++i) make_room(blocks_[i]);
  if (path == NoisePath::safe) integers_.resize(vectors_a_draw_ * dimension_);
  if (threaded_) {
    handover_ = std::make_unique<Handover>();
    handover_->producer = std::thread([this] { produce(); });
  } else {
    current_ = 0;
  }
}

NoiseSupply::~NoiseSupply() {
  if (epoch_ != fork_epoch()) leave_parent();
  if (!handover_) return;
  {
    const std::lock_guard lock(handover_->mutex);
    handover_->stop = true;
  }
  handover_->changed.notify_all();
  handover_->producer.join();
}

void NoiseSupply::make_room(Block& block) {
  if (path_ == NoisePath::safe) return block.values.resize(vectors_a_block_ * dimension_);
  block.normals.resize(vectors_a_block_ * dimension_ + kFactoredSlack);
  block.factors.resize(vectors_a_block_);
}

void NoiseSupply::fill(Block& block) noexcept {
  block.vectors = static_cast<std::size_t>(std::min<std::uint64_t>(vectors_a_block_, to_draw_));
  to_draw_ -= block.vectors;
  for (std::size_t first = 0; first < block.vectors; first += vectors_a_draw_) {
    const std::size_t count = std::min(vectors_a_draw_, block.vectors - first);
    if (path_ == NoisePath::safe) {
      draw({block.values.data() + first * dimension_, count * dimension_});
    } else {
      draw_fast(
          {{block.normals.data() + first * dimension_, count * dimension_}, {block.factors.data() + first, count}});
    }
  }
}

void NoiseSupply::draw(std::span<double> values) noexcept {
  std::visit(
      [&](const auto& mechanism) {
        if constexpr (requires { mechanism.draw_on_grid(*bits_, values); }) {
          return mechanism.draw_on_grid(*bits_, values);
        }
        const std::span<std::int64_t> integers(integers_.data(), values.size());
        mechanism.draw(*bits_, integers);
        // Exact: the integers are below 2^52 and the step is a power of two.
        kernels::scale_integers(mechanism.grid.step, integers.data(), values.data(), values.size());
      },
      mechanism_);
}

// The curator refuses the fast path for mechanisms that have none.
void NoiseSupply::draw_fast(const FactoredNoise& noise) noexcept {
  std::visit(
      [&](const auto& mechanism) {
        if constexpr (requires { mechanism.draw_fast(*bits_, noise); }) mechanism.draw_fast(*bits_, noise);
      },
      mechanism_);
}

void NoiseSupply::produce() noexcept {
  Handover& with = *handover_;
  for (std::size_t i = 0; to_draw_ > 0; i = (i + 1) % kBlocks) {
    {
      std::unique_lock lock(with.mutex);
      with.changed.wait(lock, [&with] { return with.free > 0 || with.stop; });
      if (with.stop) return;
      --with.free;
    }
    fill(blocks_[i]);
    {
      const std::lock_guard lock(with.mutex);
      ++with.filled;
    }
    with.changed.notify_all();
  }
}

void NoiseSupply::await_block() noexcept {
  std::unique_lock lock(handover_->mutex);
  handover_->changed.wait(lock, [this] { return handover_->filled > 0; });
  --handover_->filled;
  // The block just read becomes free; before the first one nothing was read.
  if (blocks_[current_].vectors > 0) ++handover_->free;
}

// The parent uses what it drew ahead; the same noise on a second release could be subtracted. The thread, its lock and
// the state of the source it was drawing from stayed in the parent: the copies are left alone, not even destroyed.
void NoiseSupply::leave_parent() noexcept {
  epoch_ = fork_epoch();
  if (!handover_ && !bits_->is_private()) return;  // a stream that repeats repeats in the child too
  static_cast<void>(handover_.release());
  bits_ = &own_bits_.emplace();
  to_draw_ = left_;
  used_ = blocks_[current_].vectors = 0;
}

void NoiseSupply::take_block() noexcept {
  if (!handover_) {
    fill(blocks_[current_]);
  } else {
    await_block();
    handover_->changed.notify_all();
    current_ = (current_ + 1) % kBlocks;
  }
  used_ = 0;
}

}  // namespace sotto
