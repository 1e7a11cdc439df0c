#include "sotto/files/piece_parser.h"

#include <cstring>

namespace sotto {

void PieceParser::start(const TextPiece& piece, std::uint64_t lines_before) {
  const std::string_view text = piece.text();
  piece_ = &piece;
  at_ = text.data();
  end_ = at_ + text.size();
  line_ = lines_before;
  zeros_ = text.find('\0') != text.npos;
  quotes_ = text.find('"') != text.npos;
}

bool PieceParser::skip_line() {
  std::string_view ignored;
  return take_line(ignored);
}

bool PieceParser::take_line(std::string_view& line) {
  if (at_ == end_) return false;
  const auto* found = static_cast<const char*>(std::memchr(at_, '\n', unread()));
  if (found == nullptr && piece_->too_long()) {
    errors_.fail(line_ + 1, "is longer than " + std::to_string(kMaxLineBytes >> 20) + " MiB: this is not a table");
  }
  const char* stop = found == nullptr ? end_ : found;
  line = {at_, static_cast<std::size_t>(stop - at_)};
  at_ = found == nullptr ? end_ : found + 1;
  ++line_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (zeros_ && line.find('\0') != line.npos) refuse_zero_byte();
  return true;
}

void PieceParser::refuse_zero_byte() const {
  if (!piece_->of_blocks()) errors_.fail(line_, "has a zero byte: this is not a text");
  errors_.fail(
      "is a block file: it holds encoded rows, and raw columns are needed here; give the file it was made from");
}

}  // namespace sotto
