#include "sotto/files/text_pieces.h"

#include <algorithm>
#include <cstring>

#include "sotto/files/block_file/format.h"

namespace sotto {

std::span<char> TextPiece::room(std::size_t bytes) {
  if (capacity_ - end_ < bytes) {
    const std::size_t wanted = std::max(2 * capacity_, end_ + bytes);
    auto grown = std::make_unique_for_overwrite<char[]>(wanted);
    if (end_ > 0) std::memcpy(grown.get(), bytes_.get(), end_);
    bytes_ = std::move(grown);
    capacity_ = wanted;
  }
  return {bytes_.get() + end_, capacity_ - end_};
}

void TextPiece::prepend(const TextPiece& before) {
  const std::size_t added = before.text().size();
  const std::size_t size = text().size();
  room(added);
  std::memmove(bytes_.get() + added, bytes_.get() + begin_, size);
  if (added > 0) std::memcpy(bytes_.get(), before.text().data(), added);
  begin_ = 0;
  end_ = added + size;
}

/// False at the end of the source, or where it threw.
bool TextPieces::read_into(TextPiece& piece) {
  const std::size_t wanted = std::max(kPieceBytes, std::min(piece.end_, kMaxLineBytes + 2 - piece.end_));
  try {
    const std::size_t count = source_->read(piece.room(wanted).first(wanted));
    piece.end_ += count;
    return count > 0;
  } catch (...) {
    thrown_ = std::current_exception();
    return false;
  }
}

void TextPieces::look_at_start(TextPiece& piece) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  started_ = true;
  while (piece.end_ < kBlockFileMagic.size() && read_into(piece)) {
  }
  of_blocks_ = piece.text().starts_with(kBlockFileMagic);
  if (piece.text().starts_with(kByteOrderMark)) piece.begin_ = kByteOrderMark.size();
}

void TextPieces::next(TextPiece& piece) {
  if (thrown_) std::rethrow_exception(thrown_);
  piece.begin_ = piece.end_ = 0;
  piece.last_ = piece.too_long_ = false;
  std::ranges::copy(cut_, piece.room(kPieceBytes + cut_.size()).begin());
  piece.end_ = cut_.size();
  cut_.clear();
  if (!started_) look_at_start(piece);
  piece.of_blocks_ = of_blocks_;
  std::size_t searched = 0;
  while (!thrown_) {
    const std::size_t line_end = piece.text().substr(searched).rfind('\n');
    const bool enough = piece.text().size() >= kPieceBytes;
    if (enough && line_end != std::string_view::npos) {
      cut_ = piece.text().substr(searched + line_end + 1);
      piece.end_ -= cut_.size();
      return;
    }
    if (enough) searched = piece.text().size();
    piece.too_long_ = searched > kMaxLineBytes;
    if (piece.too_long_) return;
    if (!read_into(piece) && !thrown_) {
      piece.last_ = true;
      return;
    }
  }
  const std::size_t line_end = piece.text().rfind('\n');
  if (line_end == std::string_view::npos) std::rethrow_exception(thrown_);
  piece.end_ = piece.begin_ + line_end + 1;  // whole lines first, then what was thrown
}

}  // namespace sotto
