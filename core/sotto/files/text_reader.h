#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sotto/data/raw_row.h"
#include "sotto/files/piece_parser.h"
#include "sotto/files/text_pieces.h"

namespace sotto {

/// A text read row by row from the front. What is left of it can be taken over piece by piece (read_rows.h).
class TextReader : public RowReader {
 public:
  TextReader(std::unique_ptr<ByteSource> source, std::unique_ptr<PieceParser> parser);
  bool next(RawRow& row) override;

  /// A parser for pieces of this text.
  std::unique_ptr<PieceParser> new_parser() const { return parser_->copy(); }
  /// Hands over the piece that was begun, without what has been read of it; the rest of the text comes from pieces().
  /// Returns the lines before it. The reader is at its end afterwards.
  std::uint64_t take_rest(TextPiece& rest);
  TextPieces& pieces() noexcept { return pieces_; }

 protected:
  PieceParser& parser() noexcept { return *parser_; }
  const StructureErrors& errors() const noexcept { return parser_->errors(); }
  bool skip_line();
  /// What next() will read is looked at and stays unread.
  bool peek(RawRow& row);

 private:
  bool go_on();

  TextPieces pieces_;
  std::unique_ptr<TextPiece> piece_;
  std::unique_ptr<PieceParser> parser_;
  bool taken_ = false;
};

}  // namespace sotto
