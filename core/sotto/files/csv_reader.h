#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sotto/data/schema.h"
#include "sotto/files/text_reader.h"

namespace sotto {

class CsvParser;

/// How a delimited text is laid out.
struct CsvLayout {
  char separator = ',';  ///< ' ' means runs of blanks and tabs
  HeaderLine header = HeaderLine::automatic;
  std::vector<std::string> names{};  ///< names for a file without a header; empty: "1", "2", ...
  std::uint32_t skip_lines = 0;      ///< lines before the header or the first row
  bool names_only = false;           ///< for who wants the columns: nothing after the header is looked at
};

/// Delimited text (csv_parser.h) with its column names. Every row must have the same number of cells.
class CsvReader final : public TextReader {
 public:
  CsvReader(std::unique_ptr<ByteSource> source, CsvLayout layout, ReadOptions options = {});

  RowShape shape() const noexcept override { return RowShape::cells; }
  const std::vector<std::string>& columns() const noexcept override { return columns_; }
  std::uint32_t features() const noexcept override { return static_cast<std::uint32_t>(columns_.size()); }
  bool next(RawRow& row) override { return !layout_.names_only && TextReader::next(row); }

 private:
  CsvReader(std::unique_ptr<CsvParser> parser, std::unique_ptr<ByteSource> source, CsvLayout layout);
  CsvParser& cells() noexcept;
  void name_columns_from_header();
  void refuse_numbers_for_names(std::span<const std::string_view> names) const;
  void name_columns_from_first_row();
  void check_names() const;

  CsvLayout layout_;
  std::vector<std::string> columns_;
};

}  // namespace sotto
