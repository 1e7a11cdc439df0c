#pragma once
#include <cstdint>
#include <memory>
#include <string_view>
#include <tuple>
#include <utility>

#include "sotto/data/raw_row.h"
#include "sotto/files/structure_errors.h"
#include "sotto/files/text_pieces.h"

namespace sotto {

/// Splits a piece of a text into raw rows. Every thread that reads a file has its own.
class PieceParser {
 public:
  enum class Step {
    row,   ///< a row was read
    end,   ///< the piece has no more
    open,  ///< the next row goes on in the next piece: unread() begins with it
  };

  explicit PieceParser(StructureErrors errors) : errors_(std::move(errors)) {}
  virtual ~PieceParser() = default;
  virtual std::unique_ptr<PieceParser> copy() const = 0;

  /// The piece must outlive the parsing of it. `lines_before`: lines of the text that came before it.
  void start(const TextPiece& piece, std::uint64_t lines_before);
  /// The row is valid until the next call. Throws Error{invalid_data} for an error of structure.
  virtual Step next(RawRow& row) = 0;
  /// Passes over one line; false at the end.
  bool skip_line();

  /// Bytes of the piece from the next row on, and lines of the text before them.
  std::size_t unread() const noexcept { return static_cast<std::size_t>(end_ - at_); }
  std::uint64_t lines() const noexcept { return line_; }
  /// Goes back to before the row that was read last.
  void unread_row() noexcept { std::tie(at_, line_) = row_; }
  const StructureErrors& errors() const noexcept { return errors_; }

 protected:
  /// The next physical line without its line end (LF or CR LF); false at the end. A line over kMaxLineBytes or with a
  /// zero byte (not a text) is an error of structure.
  bool take_line(std::string_view& line);
  /// Here begins what unread_row() goes back to.
  void remember_row() noexcept { row_ = {at_, line_}; }
  bool last() const noexcept { return piece_->last(); }
  bool may_have_quotes() const noexcept { return quotes_; }

 private:
  [[noreturn]] void refuse_zero_byte() const;

  StructureErrors errors_;
  const TextPiece* piece_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t line_ = 0;
  std::pair<const char*, std::uint64_t> row_{};
  bool zeros_ = false;
  bool quotes_ = false;
};

/// `text` without blanks and tabs at either side.
constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }
constexpr std::string_view trim(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace sotto
