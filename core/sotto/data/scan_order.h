#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace sotto {

/// Which row comes when. The order is a function of row positions, public sizes and coins drawn independently of
/// all values (spec 3.7); every pass visits every row exactly once.
///
/// stored:   positions 0, 1, 2, ... in every pass.
/// shuffled: blocks of `block_rows` consecutive positions are put in a keyed pseudo-random order; consecutive
///           blocks of that order are gathered into windows of about `buffer_rows` rows; inside a window the rows
///           are shuffled. With rows <= buffer_rows this is a full shuffle. Every engine that is given the same
///           ScanOrder visits rows in the same order.
struct ScanOrder {
  enum class Kind { stored, shuffled };
  using Key = std::array<std::uint64_t, 4>;

  Kind kind = Kind::shuffled;
  bool fresh = false;  ///< a new order every pass, or the same order in every pass
  std::uint32_t block_rows = 1;
  std::uint32_t buffer_rows = 8192;
  Key key{};

  /// Facts the sensitivity analysis needs; both kinds visit each row exactly once per pass.
  bool same_order_every_pass() const noexcept { return kind == Kind::stored || !fresh; }

  /// One window: the blocks to read, and the row positions in visiting order.
  struct Window {
    std::vector<std::uint64_t> blocks;
    std::vector<std::uint64_t> rows;
    /// The same order told from the reader's side: count the window's rows block by block, in the order of `blocks`;
    /// the i-th so counted is visited as number slots[i] of the window. An engine that reads blocks one after the
    /// other puts each row where it belongs without searching.
    std::vector<std::uint32_t> slots;
  };
  std::uint64_t window_count(std::uint64_t rows) const;
  /// The rows of the largest window over `rows` rows: at most max(buffer_rows, block_rows).
  std::uint64_t max_window_rows(std::uint64_t rows) const;
  /// Fills `window` (reusing its memory) with window number `index` of pass `pass` over `rows` rows.
  void window(std::uint64_t rows, std::uint32_t pass, std::uint64_t index, Window& window) const;
};

/// The positions per block that storage of this library has, in memory and in block files, by public sizes alone: dense
/// max(1, 8192 / (4 (features + 1))), which is about 8 KB; sparse kSparseBlockRows.
inline constexpr std::uint32_t kSparseBlockRows = 32;
std::uint32_t block_rows_for(std::uint32_t features, bool sparse) noexcept;

}  // namespace sotto
