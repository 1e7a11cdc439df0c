#include "sotto/privacy/noise_supply.h"

#include <algorithm>

#include "sotto/base/threads.h"
#include "sotto/linalg/kernels.h"
#include "sotto/linalg/streamed_copy.h"

namespace sotto {
namespace {

constexpr std::size_t kDrawValues = 2048;         // drawn at once: stay in the first-level cache
constexpr std::size_t kBlockBytes = 256 << 10;    // few hand-overs
constexpr std::uint64_t kBlocksWorthAThread = 4;  // fewer are drawn sooner than a thread starts
constexpr std::uint64_t kRowsWorthAll = 4;        // rows that take longer to read than a vector to draw

std::size_t draws_a_block(std::size_t values_a_draw) noexcept {
  return std::max<std::size_t>(1, kBlockBytes / (sizeof(double) * values_a_draw));
}

std::unique_ptr<BitSource> another(BitSource& bits) {
  if (bits.is_private()) return std::make_unique<BitSource>();
  return std::make_unique<BitSource>(ReproducibleSeed{bits.next()});
}

}  // namespace

NoiseSupply::NoiseSupply(BitSource& bits, const Mechanism& mechanism, NoiseDemand demand)
    : mechanism_(mechanism),
      dimension_(base_of(mechanism).dimension),
      draws_(demand.draws),
      leaves_all_(demand.rows_a_draw >= kRowsWorthAll),
      vectors_a_draw_(std::clamp<std::size_t>(kDrawValues / dimension_, 1, std::max<std::uint64_t>(demand.draws, 1))),
      vectors_a_block_(vectors_a_draw_ * draws_a_block(vectors_a_draw_ * dimension_)) {
  prepare(own_, bits);
  if (draws_ <= vectors_a_block_) return;
  other_bits_ = another(bits);
  prepare(other_, *other_bits_);
  if (draws_ / vectors_a_block_ < kBlocksWorthAThread || allowed_threads() < 2) return;
  handover_ = std::make_unique<Handover>();
  for (Block& block : handover_->blocks) block.values.resize(vectors_a_block_ * dimension_);
  handover_->producer = std::thread([this] { produce(); });
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

void NoiseSupply::prepare(Maker& maker, BitSource& bits) const {
  maker.bits = &bits;
  maker.drawn.values.resize(vectors_a_draw_ * dimension_);
  maker.integers.resize(vectors_a_draw_ * dimension_);
}

void NoiseSupply::draw(Maker& maker, std::size_t vectors) const noexcept {
  maker.drawn.vectors = vectors;
  const std::size_t size = vectors * dimension_;
  std::visit(
      [&](const auto& mechanism) {
        const std::span<double> values(maker.drawn.values.data(), size);
        if constexpr (requires { mechanism.draw_on_grid(*maker.bits, values); }) {
          return mechanism.draw_on_grid(*maker.bits, values);
        }
        const std::span<std::int64_t> integers(maker.integers.data(), size);
        mechanism.draw(*maker.bits, integers);
        // Exact: the integers are below 2^52 and the step is a power of two.
        kernels::scale_integers(mechanism.grid.step, integers.data(), values.data(), size);
      },
      mechanism_);
}

void NoiseSupply::fill(Block& block, std::uint64_t first) noexcept {
  const Block& drawn = other_.drawn;
  block.vectors = static_cast<std::size_t>(std::min<std::uint64_t>(vectors_a_block_, draws_ - first));
  for (std::size_t done = 0; done < block.vectors; done += drawn.vectors) {
    draw(other_, std::min(vectors_a_draw_, block.vectors - done));
    const std::size_t size = drawn.vectors * dimension_;
    kernels::streamed_copy(drawn.values.data(), block.values.data() + done * dimension_, size * sizeof(double));
  }
}

void NoiseSupply::produce() noexcept {
  Handover& with = *handover_;
  std::size_t place = 0;
  for (std::uint64_t block = 1; block * vectors_a_block_ < draws_; ++block) {
    if (!is_other(block)) continue;
    {
      std::unique_lock lock(with.mutex);
      with.changed.wait(lock, [&with] { return with.free > 0 || with.stop; });
      if (with.stop) return;
      --with.free;
    }
    fill(with.blocks[place], block * vectors_a_block_);
    place = (place + 1) % kBlocks;
    {
      const std::lock_guard lock(with.mutex);
      ++with.filled;
    }
    with.changed.notify_all();
  }
}

void NoiseSupply::await_block() noexcept {
  Handover& with = *handover_;
  std::unique_lock lock(with.mutex);
  with.changed.wait(lock, [&with] { return with.filled > 0; });
  --with.filled;
  current_ = &with.blocks[with.next];
  with.next = (with.next + 1) % kBlocks;
}

// The parent uses what it drew ahead; the same noise on a second release could be subtracted. The thread, its lock and
// the state of the source it was drawing from stayed in the parent: the copies are left alone, not even destroyed.
void NoiseSupply::leave_parent() noexcept {
  epoch_ = fork_epoch();
  if (!handover_ && !own_.bits->is_private()) return;  // a stream that repeats repeats in the child too
  taken_ -= current_->vectors - used_;
  if (handover_) {
    static_cast<void>(handover_.release());
    static_cast<void>(other_bits_.release());
    other_bits_ = std::make_unique<BitSource>();
    prepare(other_, *other_bits_);
  }
  own_.drawn.vectors = other_.drawn.vectors = used_ = 0;
  current_ = &own_.drawn;
}

void NoiseSupply::draw_next() noexcept {
  Maker& maker = is_other(taken_ / vectors_a_block_) ? other_ : own_;
  draw(maker, static_cast<std::size_t>(std::min<std::uint64_t>(vectors_a_draw_, draws_ - taken_)));
  current_ = &maker.drawn;
}

void NoiseSupply::take_block() noexcept {
  bool wake = false;
  if (handover_ && current_ != &own_.drawn) {  // a block of the producer has been read
    const std::lock_guard lock(handover_->mutex);
    wake = ++handover_->free >= kFreeToWake;
  }
  if (wake) handover_->changed.notify_all();
  if (handover_ && is_other(taken_ / vectors_a_block_)) {
    await_block();
  } else {
    draw_next();
  }
  taken_ += current_->vectors;
  used_ = 0;
}

}  // namespace sotto
