#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sotto/engines/sound_blocks.h"
#include "sotto/engines/window_buffer.h"
#include "sotto/files/block_file/block_file.h"
#include "sotto/optim/engine.h"

namespace sotto {

struct OutOfCoreOptions {
  /// What the engine may keep resident; 0: half of the free memory (base/free_memory.h). A file of at most 7/8 of it is
  /// mapped; half of the rest is for rows being gathered.
  std::uint32_t memory_mb = 0;
  /// Whether a file that fits may be mapped. Reading it instead costs about a fifth more time and no resident memory.
  bool map_file = true;
};

/// Feeds the rows of a block file of any size. Blocks are read in the keyed order of the scan, verified, and their rows
/// put in place in a window. A window too large for the memory allowed is gathered in several parts, each of which
/// reads the blocks it needs: the order is the same, only slower.
///
/// The first reading of a block checks every value as well; if it finds none to replace (BlockFile::Block::replaced),
/// later ones rely on the checksum and on the file being unchanged. Not for several threads at a time.
class OutOfCoreEngine : public Engine {
 public:
  explicit OutOfCoreEngine(const std::string& path, OutOfCoreOptions options = {});

  Facts facts() const override { return file_.facts(); }
  std::uint32_t block_rows() const override { return file_.block_rows(); }
  const std::string& metadata() const noexcept { return file_.metadata(); }
  const BlockFile& file() const noexcept { return file_; }
  /// Throws Error{invalid_argument}, before the first row, for an order with other block_rows than the file's.
  void scan(const ScanOrder& order, std::uint32_t pass, RowConsumer& consumer) override;
  /// Keeps one block resident for each call under way.
  void scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const override;
  /// Reads every block that holds a position once.
  void scan_positions(std::span<const std::uint64_t> positions, RowConsumer& consumer) const override;

  /// What scanning in this order keeps resident at most, the mapped part of the file included; of a file
  /// that is not mapped it depends on the longest block, and on its size by one bit a block.
  std::uint64_t resident_bound_bytes(const ScanOrder& order) const;

 private:
  void scan_stored(RowConsumer& consumer);
  void scan_shuffled(const ScanOrder& order, std::uint32_t pass, RowConsumer& consumer);
  void feed(const ScanOrder::Window& window, RowConsumer& consumer);
  void gather(const ScanOrder::Window& window, std::uint32_t first, std::uint32_t last);
  void read_window_places(const ScanOrder::Window& window);
  void announce(const ScanOrder::Window& window) const;
  std::uint64_t gather_bytes() const noexcept;
  std::uint64_t rows_a_part(std::uint64_t window_rows) const;
  RowBlock read(const BlockFile::Place& place, std::span<std::byte> storage) const;

  std::uint64_t memory_bytes_;
  BlockFile file_;
  WindowBuffer buffer_;
  ScanOrder::Window window_;
  ScanOrder::Window next_window_;
  std::vector<BlockFile::Place> places_;
  BlockStorage storage_;
  mutable SoundBlocks sound_;
  bool reads_wait_ = true;  ///< the storage made us wait in the last window: announcing blocks pays
};

}  // namespace sotto
