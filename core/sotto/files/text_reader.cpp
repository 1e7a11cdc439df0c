#include "sotto/files/text_reader.h"

namespace sotto {

TextReader::TextReader(std::unique_ptr<ByteSource> source, std::unique_ptr<PieceParser> parser)
    : pieces_(std::move(source)), piece_(std::make_unique<TextPiece>()), parser_(std::move(parser)) {
  pieces_.next(*piece_);
  parser_->start(*piece_, 0);
}

/// Begins the next piece, with the row that is open at the end of this one; false after the last.
bool TextReader::go_on() {
  if (piece_->last()) return false;
  auto following = std::make_unique<TextPiece>();
  pieces_.next(*following);
  piece_->keep(parser_->unread());
  following->prepend(*piece_);
  piece_ = std::move(following);
  parser_->start(*piece_, parser_->lines());
  return true;
}

bool TextReader::next(RawRow& row) {
  if (taken_) return false;
  do {
    if (parser_->next(row) == PieceParser::Step::row) return true;
  } while (go_on());
  return false;
}

bool TextReader::skip_line() {
  do {
    if (parser_->skip_line()) return true;
  } while (go_on());
  return false;
}

bool TextReader::peek(RawRow& row) {
  if (!next(row)) return false;
  parser_->unread_row();
  return true;
}

std::uint64_t TextReader::take_rest(TextPiece& rest) {
  piece_->keep(parser_->unread());
  rest = std::move(*piece_);
  taken_ = true;
  return parser_->lines();
}

}  // namespace sotto
