#pragma once
#include <memory>

#include "sotto/data/raw_row.h"
#include "sotto/data/schema.h"
#include "sotto/files/line_reader.h"

namespace sotto {

/// How a delimited text is laid out.
struct CsvLayout {
  char separator = ',';  ///< ' ' means runs of blanks and tabs
  HeaderLine header = HeaderLine::automatic;
  std::vector<std::string> names{};  ///< names for a file without a header; empty: "1", "2", ...
  std::uint32_t skip_lines = 0;      ///< lines before the header or the first row
  bool names_only = false;           ///< for who wants the columns: nothing after the header is looked at
};

/// Delimited text: cells may be quoted with " (doubled inside, line ends allowed), blanks around a cell are dropped,
/// empty lines are skipped. Every row must have the same number of cells.
class CsvReader final : public RowReader {
 public:
  CsvReader(std::unique_ptr<ByteSource> source, CsvLayout layout, ReadOptions options = {});

  RowShape shape() const noexcept override { return RowShape::cells; }
  const std::vector<std::string>& columns() const noexcept override { return columns_; }
  std::uint32_t features() const noexcept override { return static_cast<std::uint32_t>(columns_.size()); }
  bool next(RawRow& row) override;

 private:
  bool read_record(std::size_t max_cells);
  void split_plain();
  void split_quoted();
  void take_quoted_cell();
  void add_cell(std::string_view cell);
  void skip_blanks() noexcept;
  std::size_t find_separator(std::size_t from) const noexcept;
  void name_columns_from_header();
  void refuse_numbers_for_names() const;
  void name_columns_from_first_row();
  void check_names() const;

  LineReader lines_;
  CsvLayout layout_;
  std::vector<std::string> columns_;
  bool first_row_waits_ = false;

  std::string_view line_;
  std::uint64_t record_line_ = 0;
  std::size_t position_ = 0;
  std::size_t max_cells_ = 0;
  std::string text_;               // cells of a record that has quotes, one after another
  std::vector<std::size_t> ends_;  // where each of them ends
  std::vector<std::string_view> cells_;
};

}  // namespace sotto
