#include "capi/block_engine.h"

#include <algorithm>
#include <string>

#include "capi/boundary.h"
#include "sotto/base/threads.h"
#include "sotto/files/block_file/sound_rows.h"

namespace sotto::capi {
namespace {

/// Values fed between two questions whether to stop: about a millisecond of the dearest arithmetic on them.
constexpr std::uint64_t kValuesBetweenPolls = 16384;
constexpr std::uint64_t kMaxPrefetched = 2048;  // values: a page

}  // namespace

Facts facts_of(const sotto_facts& facts) noexcept {
  return {facts.rows, facts.features, facts.data_norm, false, facts.classes};
}

BlockEngine::BlockEngine(const sotto_rows& rows)
    : rows_(rows),
      facts_(facts_of(rows.facts)),
      buffer_(rows.facts.features, false),
      owner_(std::this_thread::get_id()),
      sound_(block_count()) {
  read_all();
  if (all_ == nullptr) limit_sum_threads(1);  // `sound_`, `mended_` and the host are for one
}

// While a block is in the cache it is copied by the host and checked here.
void BlockEngine::read_all() {
  float* all = nullptr;
  if (rows_.all != nullptr) proceed(rows_.all(rows_.context, &all));
  if (all == nullptr) return;
  const std::uint64_t values = std::uint64_t{rows_.block_rows} * (facts_.features + 1);
  for (std::uint64_t block = 0; block < block_count(); ++block) {
    const float* bytes = nullptr;
    proceed(rows_.read(rows_.context, block, &bytes));
    replace_unsound_rows(rows_at(all + block * values, block), facts_);
  }
  all_ = all;
}

std::uint64_t BlockEngine::block_count() const noexcept {
  return (facts_.rows + rows_.block_rows - 1) / rows_.block_rows;
}

std::uint64_t BlockEngine::rows_of(std::uint64_t block) const noexcept {
  return std::min<std::uint64_t>(rows_.block_rows, facts_.rows - block * rows_.block_rows);
}

std::uint64_t BlockEngine::rows_between_polls() const noexcept {
  return std::max<std::uint64_t>(1, kValuesBetweenPolls / facts_.features);
}

RowBlock BlockEngine::rows_at(const float* bytes, std::uint64_t block) const noexcept {
  RowBlock rows;
  rows.rows = rows_of(block);
  rows.features = facts_.features;
  rows.labels = bytes;
  rows.dense = bytes + rows_.block_rows;  // the last block is as long as the others
  return rows;
}

RowBlock BlockEngine::read(std::uint64_t block) const {
  if (all_ != nullptr) return rows_at(all_ + block * rows_.block_rows * (facts_.features + 1), block);
  const float* bytes = nullptr;
  proceed(rows_.read(rows_.context, block, &bytes));
  const RowBlock rows = rows_at(bytes, block);
  return sound_[block] ? rows : checked(rows, block);
}

/// Blocks of a shuffled order are far apart, so the hardware cannot guess the next.
void BlockEngine::prefetch(std::uint64_t block) const noexcept {
  if (all_ == nullptr) return;
  constexpr std::uint64_t kLine = 64 / sizeof(float);
  const std::uint64_t values = std::uint64_t{rows_.block_rows} * (facts_.features + 1);
  const float* first = all_ + block * values;
  for (std::uint64_t i = 0; i < std::min(values, kMaxPrefetched); i += kLine) __builtin_prefetch(first + i);
}

// The second line of defence: whatever happened to the stored copy, no row longer than declared is fed.
RowBlock BlockEngine::checked(const RowBlock& rows, std::uint64_t block) const {
  bool sound = true;
  for (std::size_t i = 0; i < rows.rows && sound; ++i) {
    sound = row_is_sound(rows.dense + i * rows.features, rows.features, rows.labels[i], facts_);
  }
  if (sound) {
    sound_[block] = true;
    return rows;
  }
  mended_.assign(rows.labels, rows.labels + rows.rows);
  mended_.insert(mended_.end(), rows.dense, rows.dense + rows.rows * rows.features);
  RowBlock mended = rows;
  mended.labels = mended_.data();
  mended.dense = mended_.data() + rows.rows;
  replace_unsound_rows(mended, facts_);
  return mended;
}

void BlockEngine::poll(std::uint64_t rows) const {
  if (std::this_thread::get_id() != owner_) return proceed(stopped_.load(std::memory_order_relaxed) ? 1 : 0);
  since_poll_ += rows;
  if (since_poll_ < rows_between_polls()) return;
  since_poll_ = 0;
  const int answer = rows_.poll(rows_.context);
  if (answer != 0) stopped_.store(true, std::memory_order_relaxed);
  proceed(answer);
}

void BlockEngine::feed(const RowBlock& rows, RowConsumer& consumer) const {
  for (std::size_t first = 0; first < rows.rows;) {
    const std::size_t count = std::min<std::uint64_t>(rows_between_polls(), rows.rows - first);
    consumer.consume(rows.slice(first, count));
    first += count;
    poll(count);
  }
}

void BlockEngine::scan(const ScanOrder& order, std::uint32_t pass, RowConsumer& consumer) {
  if (order.kind == ScanOrder::Kind::stored) return scan_rows(0, facts_.rows, consumer);
  require(order.block_rows == rows_.block_rows, "block_rows", "is not that of the stored rows");
  const std::uint64_t windows = order.window_count(facts_.rows);
  for (std::uint64_t w = 0; w < windows; ++w) {
    order.window(facts_.rows, pass, w, window_);
    buffer_.begin(0, static_cast<std::uint32_t>(window_.slots.size()));
    std::span<const std::uint32_t> slots = window_.slots;
    for (std::size_t b = 0; b < window_.blocks.size(); ++b) {
      if (b + 1 < window_.blocks.size()) prefetch(window_.blocks[b + 1]);
      const RowBlock rows = read(window_.blocks[b]);
      buffer_.place(rows, slots.first(rows.rows));
      slots = slots.subspan(rows.rows);
    }
    feed(buffer_.rows(), consumer);
  }
}

void BlockEngine::scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const {
  for (std::uint64_t row = first; row < first + count;) {
    const std::uint64_t block = row / rows_.block_rows;
    const RowBlock rows = read(block);
    const std::uint64_t skipped = row - block * rows_.block_rows;
    const std::uint64_t taken = std::min<std::uint64_t>(rows.rows - skipped, first + count - row);
    feed(rows.slice(skipped, taken), consumer);
    row += taken;
  }
}

void BlockEngine::scan_positions(std::span<const std::uint64_t> positions, RowConsumer& consumer) const {
  for (std::size_t i = 0; i < positions.size();) {
    const std::uint64_t block = positions[i] / rows_.block_rows;
    const RowBlock rows = read(block);
    for (; i < positions.size() && positions[i] / rows_.block_rows == block; ++i) {
      feed(rows.slice(positions[i] - block * rows_.block_rows, 1), consumer);
    }
  }
}

Facts BlockSource::facts(std::uint64_t rows) const {
  if (rows == rows_.facts.rows) return facts_of(rows_.facts);
  throw Error(ErrorKind::invalid_data,
              "data: there are not the " + std::to_string(rows) + " rows the ledger was made for", "data");
}

Digest BlockSource::fingerprint() const {
  Digest digest{};
  require(digest_from_hex(rows_.fingerprint, digest), "fingerprint", "must be 64 hexadecimal digits");
  return digest;
}

}  // namespace sotto::capi
