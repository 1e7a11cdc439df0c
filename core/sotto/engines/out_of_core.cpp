#include "sotto/engines/out_of_core.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/free_memory.h"
#include "sotto/engines/row_gather.h"

namespace sotto {
namespace {

constexpr std::uint64_t kUnmappedShare = 8;
// Buffers of the scan itself: piece of the index, places, bookkeeping and page rounding of the allocator.
constexpr std::uint64_t kFixedBytes = std::uint64_t{3} << 19U;
// A cached block arrives in about 2 microseconds, a block from any disk in more than 20.
constexpr std::chrono::microseconds kWaiting{15};

bool any_between(std::span<const std::uint32_t> slots, std::uint32_t first, std::uint32_t last) noexcept {
  return std::any_of(slots.begin(), slots.end(), [=](std::uint32_t slot) { return slot - first < last - first; });
}

}  // namespace

OutOfCoreEngine::OutOfCoreEngine(const std::string& path, OutOfCoreOptions options)
    : memory_bytes_(allowed_memory_bytes(options.memory_mb)),
      file_(path, options.map_file ? memory_bytes_ - memory_bytes_ / kUnmappedShare : 0),
      buffer_(file_.facts().features, file_.facts().sparse),
      sound_(file_.block_count()) {}

std::uint64_t OutOfCoreEngine::gather_bytes() const noexcept {
  return (memory_bytes_ - (file_.mapped() ? file_.file_bytes() : 0)) / 2;
}

std::uint64_t OutOfCoreEngine::rows_a_part(std::uint64_t window_rows) const {
  // Sparse: the worst case is that every row comes from a block of its own, all as long as the longest, which is held
  // beside the gathered rows.
  const std::uint64_t a_row =
      file_.facts().sparse ? file_.max_block_bytes() + WindowBuffer::bytes_for(1, 0, true, file_.max_block_bytes() / 8)
                           : WindowBuffer::bytes_for(1, file_.facts().features, false, 0);
  return std::clamp<std::uint64_t>(gather_bytes() / a_row, 1, window_rows);
}

std::uint64_t OutOfCoreEngine::resident_bound_bytes(const ScanOrder& order) const {
  const std::uint64_t mapped = (file_.mapped() ? file_.file_bytes() : 0) + sound_.bytes();
  if (order.kind == ScanOrder::Kind::stored) return mapped + file_.max_block_bytes() + kFixedBytes;
  const std::uint64_t window_rows = order.max_window_rows(file_.facts().rows);
  const std::uint64_t blocks = window_rows / order.block_rows + 1;
  const std::uint64_t orders = 2 * (window_rows * 12 + blocks * 8) + blocks * sizeof(BlockFile::Place);
  const std::uint64_t one_row = file_.max_block_bytes() * 4;
  std::uint64_t gathered = gather_bytes();
  if (!file_.facts().sparse) {
    gathered = WindowBuffer::bytes_for(rows_a_part(window_rows), file_.facts().features, false, 0);
  }
  return mapped + orders + gathered + one_row + kFixedBytes;
}

void OutOfCoreEngine::scan(const ScanOrder& order, std::uint32_t pass, RowConsumer& consumer) {
  require(order.block_rows == block_rows(), "block_rows",
          "got " + std::to_string(order.block_rows) + ", the file has " + std::to_string(block_rows()));
  if (order.kind == ScanOrder::Kind::stored) {
    scan_stored(consumer);
  } else {
    scan_shuffled(order, pass, consumer);
  }
  file_.require_unchanged();
}

RowBlock OutOfCoreEngine::read(const BlockFile::Place& place, std::span<std::byte> storage) const {
  const bool sound = sound_.has(place.index);
  const BlockFile::Block block =
      file_.read_block(place, storage, sound ? BlockFile::Values::trust : BlockFile::Values::check);
  if (!sound && !block.replaced) sound_.mark(place.index);
  return block.rows;
}

void OutOfCoreEngine::scan_positions(std::span<const std::uint64_t> positions, RowConsumer& consumer) const {
  file_.require_unchanged();
  BlockStorage storage;
  storage.reserve(file_.max_block_bytes());
  RowGather gather(facts().features, facts().sparse, consumer);
  for (std::size_t i = 0; i < positions.size();) {
    const std::uint64_t block = positions[i] / block_rows();
    const RowBlock rows = read(file_.locate(block), storage.bytes());
    for (; i < positions.size() && positions[i] / block_rows() == block; ++i) {
      gather.add(rows.slice(positions[i] - block * block_rows(), 1));
    }
  }
  gather.flush();
  file_.require_unchanged();
}

void OutOfCoreEngine::scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const {
  file_.require_unchanged();
  BlockStorage storage;
  storage.reserve(file_.max_block_bytes());
  const std::uint64_t last = first + count;
  for (std::uint64_t row = first; row < last;) {
    const std::uint64_t block = row / block_rows();
    const RowBlock rows = read(file_.locate(block), storage.bytes());
    const std::uint64_t skipped = row - block * block_rows();
    const std::uint64_t taken = std::min<std::uint64_t>(rows.rows - skipped, last - row);
    consumer.consume(rows.slice(skipped, taken));
    row += taken;
  }
  file_.require_unchanged();
}

void OutOfCoreEngine::scan_stored(RowConsumer& consumer) {
  constexpr std::uint64_t kBlocksBetweenChecks = 256;
  storage_.reserve(file_.max_block_bytes());
  for (std::uint64_t i = 0; i < file_.block_count(); ++i) {
    if (i % kBlocksBetweenChecks == 0) file_.require_unchanged();
    consumer.consume(read(file_.locate(i), storage_.bytes()));
  }
}

void OutOfCoreEngine::scan_shuffled(const ScanOrder& order, std::uint32_t pass, RowConsumer& consumer) {
  const std::uint64_t rows = file_.facts().rows;
  const std::uint64_t windows = order.window_count(rows);
  order.window(rows, pass, 0, window_);
  if (reads_wait_) announce(window_);
  for (std::uint64_t w = 0; w < windows; ++w) {
    if (w + 1 < windows) {
      order.window(rows, pass, w + 1, next_window_);
      if (reads_wait_) announce(next_window_);
    }
    file_.require_unchanged();
    feed(window_, consumer);
    std::swap(window_, next_window_);
  }
}

void OutOfCoreEngine::announce(const ScanOrder::Window& window) const {
  for (const std::uint64_t block : window.blocks) file_.announce(file_.locate(block));
}

void OutOfCoreEngine::read_window_places(const ScanOrder::Window& window) {
  places_.clear();
  places_.reserve(window.blocks.size());
  for (const std::uint64_t block : window.blocks) places_.push_back(file_.locate(block));
}

void OutOfCoreEngine::feed(const ScanOrder::Window& window, RowConsumer& consumer) {
  read_window_places(window);
  const auto rows = static_cast<std::uint32_t>(window.slots.size());
  auto part = static_cast<std::uint32_t>(rows_a_part(rows));
  if (file_.facts().sparse) {
    std::uint64_t bytes = 0;
    for (const BlockFile::Place& place : places_) bytes += place.bytes;
    // The blocks, and the same entries gathered: when that fits there is no need to assume the worst.
    if (bytes + WindowBuffer::bytes_for(rows, 0, true, bytes / 8) <= gather_bytes()) part = rows;
  }
  for (std::uint32_t first = 0; first < rows; first += std::min(part, rows - first)) {
    const auto begin = std::chrono::steady_clock::now();
    gather(window, first, first + std::min(part, rows - first));
    reads_wait_ = std::chrono::steady_clock::now() - begin > kWaiting * window.blocks.size();
    consumer.consume(buffer_.rows());
  }
}

void OutOfCoreEngine::gather(const ScanOrder::Window& window, std::uint32_t first, std::uint32_t last) {
  const bool all = last - first == window.slots.size();
  const auto wanted = [&](std::span<const std::uint32_t> slots) { return all || any_between(slots, first, last); };
  const auto for_each_wanted = [&](auto&& visit) {
    std::span<const std::uint32_t> slots = window.slots;
    for (const BlockFile::Place& place : places_) {
      const std::size_t count = std::min<std::uint64_t>(block_rows(), facts().rows - place.index * block_rows());
      if (wanted(slots.first(count))) visit(place, slots.first(count));
      slots = slots.subspan(count);
    }
  };
  // A dense block is copied out at once and its memory used again, so that it stays in the nearest cache; sparse blocks
  // are kept until the lengths of all rows are known.
  std::size_t needed = file_.facts().sparse ? 0 : file_.max_block_bytes();
  if (file_.facts().sparse) for_each_wanted([&](const auto& place, auto) { needed += place.bytes; });
  storage_.reserve(needed);
  buffer_.begin(first, last);
  std::span<std::byte> free = storage_.bytes();
  for_each_wanted([&](const BlockFile::Place& place, std::span<const std::uint32_t> slots) {
    buffer_.place(read(place, free), slots);
    if (file_.facts().sparse) free = free.subspan(place.bytes);
  });
}

}  // namespace sotto
