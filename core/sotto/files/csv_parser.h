#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/files/piece_parser.h"

namespace sotto {

/// Records of delimited text: cells may be quoted with " (doubled inside, line ends allowed), blanks around a cell are
/// dropped, empty lines are skipped. The separator ' ' means runs of blanks and tabs.
class CsvParser final : public PieceParser {
 public:
  CsvParser(char separator, StructureErrors errors) : PieceParser(std::move(errors)), separator_(separator) {}
  std::unique_ptr<PieceParser> copy() const override { return std::make_unique<CsvParser>(*this); }
  Step next(RawRow& row) override;

  /// A record with more cells is an error of structure.
  void allow(std::size_t max_cells) noexcept { max_cells_ = max_cells; }
  /// From here on a record must have so many cells.
  void require_cells(std::size_t cells) noexcept { max_cells_ = required_ = cells; }

 private:
  void split_plain();
  void split_blanks();
  bool split_quoted();
  bool take_quoted_cell();
  bool go_to_next_line();
  void add_cell(std::string_view cell);
  void skip_blanks() noexcept;
  std::size_t find_separator(std::size_t from) const noexcept;

  char separator_;
  std::size_t max_cells_ = kMaxColumns;
  std::size_t required_ = 0;  // 0: any number

  std::string_view line_;
  std::uint64_t record_line_ = 0;
  std::size_t position_ = 0;
  std::string text_;               // cells of a record that has quotes, one after another
  std::vector<std::size_t> ends_;  // where each of them ends
  std::vector<std::string_view> cells_;
};

}  // namespace sotto
