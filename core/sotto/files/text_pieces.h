#pragma once
#include <cstddef>
#include <exception>
#include <memory>
#include <string_view>

#include "sotto/files/byte_source.h"

namespace sotto {

/// The longest line a text may have: it bounds the memory that a line can need.
inline constexpr std::size_t kMaxLineBytes = std::size_t{64} << 20;

/// Whole lines of a text, with their line ends.
class TextPiece {
 public:
  std::string_view text() const noexcept { return {bytes_.get() + begin_, end_ - begin_}; }
  /// Nothing follows; the last line may have no line end.
  bool last() const noexcept { return last_; }
  /// The last line is longer than kMaxLineBytes and not all here.
  bool too_long() const noexcept { return too_long_; }
  /// The text begins as a block file does.
  bool of_blocks() const noexcept { return of_blocks_; }
  /// Leaves only the last `kept` bytes.
  void keep(std::size_t kept) noexcept { begin_ = end_ - kept; }
  /// Puts the text of the piece before this one in front.
  void prepend(const TextPiece& before);

 private:
  friend class TextPieces;
  std::span<char> room(std::size_t bytes);

  std::unique_ptr<char[]> bytes_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool last_ = false;
  bool too_long_ = false;
  bool of_blocks_ = false;
};

/// Cuts a text at line ends, in memory bounded by the longest line allowed. A leading byte-order mark is left out. The
/// pieces one after another are the text; exactly one, which may be empty, is the last.
class TextPieces {
 public:
  static constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

  explicit TextPieces(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}
  /// Fills the piece with the next lines. What the source throws comes after the lines that were read before it. Not to
  /// be called after a piece that is the last or too long.
  void next(TextPiece& piece);

 private:
  bool read_into(TextPiece& piece);
  void look_at_start(TextPiece& piece);

  std::unique_ptr<ByteSource> source_;
  std::string cut_;  // the beginning of a line whose end is still to be read
  std::exception_ptr thrown_;
  bool of_blocks_ = false;
  bool started_ = false;
};

}  // namespace sotto
