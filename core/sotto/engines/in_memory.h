#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "sotto/data/dataset.h"
#include "sotto/engines/window_buffer.h"
#include "sotto/optim/engine.h"

namespace sotto {

struct InMemoryOptions {
  /// A fixed shuffled order that is scanned again is kept as a permuted copy of the rows if that has at most this many
  /// bytes; further passes then read memory from front to back. 0: never.
  std::uint64_t copy_limit_bytes = std::uint64_t{1} << 30U;
};

/// Feeds rows that lie in memory. The stored order is one block without a copy; a shuffled one is gathered window by
/// window. Takes an order of any block_rows. Not for several threads at a time.
class InMemoryEngine : public Engine {
 public:
  /// `rows` must stay valid; `owner` keeps alive whatever holds them. Its blocks are those a block file would have.
  InMemoryEngine(const Facts& facts, const RowBlock& rows, std::shared_ptr<const void> owner = nullptr,
                 InMemoryOptions options = {});
  /// Takes over the rows, with their blocks.
  explicit InMemoryEngine(Dataset rows, InMemoryOptions options = {});

  Facts facts() const override { return facts_; }
  std::uint32_t block_rows() const override { return block_rows_; }
  void scan(const ScanOrder& order, std::uint32_t pass, RowConsumer& consumer) override;
  void scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const override;
  void scan_positions(std::span<const std::uint64_t> positions, RowConsumer& consumer) const override;

 private:
  void scan_windows(const ScanOrder& order, std::uint32_t pass, RowConsumer& consumer, Dataset* copy);
  std::uint64_t copy_bytes() const noexcept;

  Facts facts_;
  std::uint32_t block_rows_;
  RowBlock rows_;
  std::shared_ptr<const void> owner_;
  InMemoryOptions options_;
  WindowBuffer buffer_;
  ScanOrder::Window window_;
  std::optional<ScanOrder> last_order_;  ///< the fixed shuffled order scanned last
  std::unique_ptr<Dataset> copy_;        ///< the rows in last_order_
};

}  // namespace sotto
