#include "sotto/data/scan_order.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/data/scan_order_stream.h"
#include "sotto/random/permutation.h"

namespace sotto {
namespace {

/// How the positions fall into blocks and windows: sizes only.
struct Shape {
  std::uint64_t blocks;
  std::uint64_t blocks_a_window;
  std::uint64_t windows;
};

Shape shape_of(const ScanOrder& order, std::uint64_t rows) {
  require(order.block_rows > 0, "block_rows", "got 0, must be at least 1");
  Shape shape{};
  shape.blocks = rows / order.block_rows + (rows % order.block_rows != 0 ? 1 : 0);
  // Rounding down to whole blocks must not split a data set that fits the buffer: that is promised a full shuffle.
  shape.blocks_a_window = rows <= order.buffer_rows ? std::max<std::uint64_t>(1, shape.blocks)
                                                    : std::max<std::uint64_t>(1, order.buffer_rows / order.block_rows);
  shape.windows = shape.blocks / shape.blocks_a_window + (shape.blocks % shape.blocks_a_window != 0 ? 1 : 0);
  return shape;
}

/// 0 in an order that stays, otherwise a number of the pass.
std::uint64_t pass_tweak(const ScanOrder& order, std::uint32_t pass) noexcept {
  return order.fresh ? std::uint64_t{pass} + 1 : 0;
}

void list_blocks(const ScanOrder& order, std::uint32_t pass, std::pair<std::uint64_t, const Shape&> at,
                 std::vector<std::uint64_t>& blocks) {
  const auto& [index, shape] = at;
  const std::uint64_t first = index * shape.blocks_a_window;
  const std::uint64_t count = std::min(shape.blocks_a_window, shape.blocks - first);
  blocks.resize(count);
  std::iota(blocks.begin(), blocks.end(), first);
  if (order.kind == ScanOrder::Kind::stored) return;
  const KeyedPermutation permutation(order.key, pass_tweak(order, pass), shape.blocks);
  for (std::uint64_t& block : blocks) block = permutation(block);
}

void shuffle_slots(const ScanOrder& order, std::uint32_t pass, std::uint64_t index, std::vector<std::uint32_t>& slots) {
  ScanOrderStream coins({order.key[0], order.key[1]}, {order.key[2], index, pass_tweak(order, pass), order.key[3]});
  for (std::size_t left = slots.size(); left > 1; --left) {
    std::swap(slots[left - 1], slots[coins.bounded(static_cast<std::uint32_t>(left))]);
  }
}

}  // namespace

std::uint64_t ScanOrder::window_count(std::uint64_t rows) const { return shape_of(*this, rows).windows; }

std::uint64_t ScanOrder::max_window_rows(std::uint64_t rows) const {
  const Shape shape = shape_of(*this, rows);
  return std::min(rows, shape.blocks_a_window * block_rows);
}

void ScanOrder::window(std::uint64_t rows, std::uint32_t pass, std::uint64_t index, Window& window) const {
  const Shape shape = shape_of(*this, rows);
  require(index < shape.windows, "index",
          "got window " + std::to_string(index) + ", the scan has " + std::to_string(shape.windows));
  list_blocks(*this, pass, {index, shape}, window.blocks);
  std::uint64_t count = 0;
  for (const std::uint64_t block : window.blocks) {
    count += std::min<std::uint64_t>(block_rows, rows - block * block_rows);
  }
  window.slots.resize(count);
  std::iota(window.slots.begin(), window.slots.end(), 0U);
  if (kind == Kind::shuffled) shuffle_slots(*this, pass, index, window.slots);
  window.rows.resize(count);
  std::size_t counted = 0;
  for (const std::uint64_t block : window.blocks) {
    const std::uint64_t first = block * block_rows;
    const std::uint64_t last = first + std::min<std::uint64_t>(block_rows, rows - first);
    for (std::uint64_t row = first; row < last; ++row) window.rows[window.slots[counted++]] = row;
  }
}

std::uint32_t block_rows_for(std::uint32_t features, bool sparse) noexcept {
  if (sparse) return kSparseBlockRows;
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, 8192 / (4 * (std::uint64_t{features} + 1))));
}

}  // namespace sotto
