#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "capi/sotto_c.h"
#include "sotto/engines/window_buffer.h"
#include "sotto/optim/engine.h"

namespace sotto::capi {

Facts facts_of(const sotto_facts& facts) noexcept;

/// Feeds rows that a host hands over block by block, in the orders of every other engine. Only the thread that made it
/// calls the host. Where the host holds all rows in memory, several threads may ask for rows; otherwise it limits the
/// process to one thread. Throws Stopped.
class BlockEngine final : public Engine {
 public:
  explicit BlockEngine(const sotto_rows& rows);

  Facts facts() const override { return facts_; }
  std::uint32_t block_rows() const override { return rows_.block_rows; }
  void scan(const ScanOrder& order, std::uint32_t pass, RowConsumer& consumer) override;
  void scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const override;
  void scan_positions(std::span<const std::uint64_t> positions, RowConsumer& consumer) const override;
  void poll(std::uint64_t rows) const override;

 private:
  std::uint64_t block_count() const noexcept;
  std::uint64_t rows_of(std::uint64_t block) const noexcept;
  std::uint64_t rows_between_polls() const noexcept;
  RowBlock read(std::uint64_t block) const;
  RowBlock rows_at(const float* bytes, std::uint64_t block) const noexcept;
  RowBlock checked(const RowBlock& rows, std::uint64_t block) const;
  void read_all();
  void prefetch(std::uint64_t block) const noexcept;
  void feed(const RowBlock& rows, RowConsumer& consumer) const;

  sotto_rows rows_;
  Facts facts_;
  WindowBuffer buffer_;
  ScanOrder::Window window_;
  std::thread::id owner_;                      // who may call the host
  const float* all_ = nullptr;                 // every block, seen to keep the declared bound; or:
  mutable std::vector<bool> sound_;            // blocks that were seen to,
  mutable std::vector<float> mended_;          // a block in which some row did not
  mutable std::uint64_t since_poll_ = 0;       // rows
  mutable std::atomic<bool> stopped_ = false;  // for the other threads
};

/// The same rows, not read before it is decided that they may be.
class BlockSource final : public RowSource {
 public:
  explicit BlockSource(const sotto_rows& rows) : rows_(rows) {}
  Facts facts(std::uint64_t rows) const override;
  Digest fingerprint() const override;
  std::unique_ptr<Engine> open() override { return std::make_unique<BlockEngine>(rows_); }
  Opened open_fingerprinted() override { return {open(), fingerprint()}; }

 private:
  sotto_rows rows_;
};

}  // namespace sotto::capi
