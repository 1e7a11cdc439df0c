#include "sotto/engines/in_memory.h"

#include <algorithm>
#include <new>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/data/scan_order.h"
#include "sotto/engines/row_gather.h"

namespace sotto {
namespace {

bool same_fixed_order(const ScanOrder& a, const ScanOrder& b) noexcept {
  return !a.fresh && !b.fresh && a.kind == b.kind && a.block_rows == b.block_rows && a.buffer_rows == b.buffer_rows &&
         a.key == b.key;
}

/// Asks for the bytes of a block before they are needed: blocks are far apart, so the hardware cannot guess the next.
void prefetch(const RowBlock& rows, std::uint64_t first, std::uint64_t count) noexcept {
  constexpr std::size_t kLine = 64 / sizeof(float);
  constexpr std::size_t kMax = 8192 / sizeof(float);
  const std::uint64_t begin = rows.sparse() ? rows.offsets[first] : first * rows.features;
  const std::uint64_t size = rows.sparse() ? rows.offsets[first + count] - begin : count * rows.features;
  const std::uint64_t asked = std::min<std::uint64_t>(kMax, size);
  for (std::uint64_t i = 0; i < asked; i += kLine) {
    __builtin_prefetch((rows.sparse() ? rows.values : rows.dense) + begin + i);
    if (rows.sparse()) __builtin_prefetch(rows.columns + begin + i);
  }
}

}  // namespace

InMemoryEngine::InMemoryEngine(const Facts& facts, const RowBlock& rows, std::shared_ptr<const void> owner,
                               InMemoryOptions options)
    : facts_(facts),
      block_rows_(block_rows_for(facts.features, facts.sparse)),
      rows_(rows),
      owner_(std::move(owner)),
      options_(options),
      buffer_(facts.features, facts.sparse) {
  require(rows.rows == facts.rows, "rows",
          "got " + std::to_string(rows.rows) + ", the facts say " + std::to_string(facts.rows));
  require(rows.features == facts.features && rows.sparse() == facts.sparse, "features",
          "the rows do not have the shape the facts say");
}

InMemoryEngine::InMemoryEngine(Dataset rows, InMemoryOptions options)
    : facts_(rows.facts()), block_rows_(rows.block_rows()), options_(options), buffer_(facts_.features, facts_.sparse) {
  auto owned = std::make_shared<const Dataset>(std::move(rows));
  rows_ = owned->view();
  owner_ = std::move(owned);
}

std::uint64_t InMemoryEngine::copy_bytes() const noexcept {
  if (!rows_.sparse()) return facts_.rows * 4 * (std::uint64_t{facts_.features} + 1);
  return facts_.rows * 12 + (rows_.offsets[rows_.rows] - rows_.offsets[0]) * 8;
}

void InMemoryEngine::scan(const ScanOrder& order, std::uint32_t pass, RowConsumer& consumer) {
  if (order.kind == ScanOrder::Kind::stored) return consumer.consume(rows_);
  const bool again = last_order_ && same_fixed_order(*last_order_, order);
  if (again && copy_) return consumer.consume(copy_->view());
  copy_.reset();
  last_order_.reset();
  if (again && copy_bytes() <= options_.copy_limit_bytes) {
    try {
      auto copy = std::make_unique<Dataset>(facts_);
      copy->reserve(facts_.rows, rows_.sparse() ? rows_.offsets[rows_.rows] - rows_.offsets[0] : 0);
      scan_windows(order, pass, consumer, copy.get());
      copy_ = std::move(copy);
      last_order_ = order;
      return;
    } catch (const std::bad_alloc&) {
      // Only the reservation allocates so much, and it comes before the first row.
    }
  }
  scan_windows(order, pass, consumer, nullptr);
  if (!order.fresh) last_order_ = order;
}

void InMemoryEngine::scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const {
  consumer.consume(rows_.slice(first, count));
}

void InMemoryEngine::scan_positions(std::span<const std::uint64_t> positions, RowConsumer& consumer) const {
  constexpr std::size_t kAhead = 8;  // rows are far apart
  RowGather gather(facts_.features, rows_.sparse(), consumer);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (i + kAhead < positions.size()) prefetch(rows_, positions[i + kAhead], 1);
    gather.add(rows_.slice(positions[i], 1));
  }
  gather.flush();
}

void InMemoryEngine::scan_windows(const ScanOrder& order, std::uint32_t pass, RowConsumer& consumer, Dataset* copy) {
  const std::uint64_t windows = order.window_count(facts_.rows);
  const auto rows_of = [&](std::uint64_t block) {
    return std::min<std::uint64_t>(order.block_rows, facts_.rows - block * order.block_rows);
  };
  for (std::uint64_t w = 0; w < windows; ++w) {
    order.window(facts_.rows, pass, w, window_);
    buffer_.begin(0, static_cast<std::uint32_t>(window_.slots.size()));
    std::span<const std::uint32_t> slots = window_.slots;
    for (std::size_t b = 0; b < window_.blocks.size(); ++b) {
      if (b + 1 < window_.blocks.size()) {
        const std::uint64_t next = window_.blocks[b + 1];
        prefetch(rows_, next * order.block_rows, rows_of(next));
      }
      const std::uint64_t count = rows_of(window_.blocks[b]);
      buffer_.place(rows_.slice(window_.blocks[b] * order.block_rows, count), slots.first(count));
      slots = slots.subspan(count);
    }
    const RowBlock gathered = buffer_.rows();
    if (copy != nullptr) copy->append(gathered);
    consumer.consume(gathered);
  }
}

}  // namespace sotto
