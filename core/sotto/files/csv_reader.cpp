#include "sotto/files/csv_reader.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "sotto/base/error.h"
#include "sotto/data/number.h"
#include "sotto/files/csv_parser.h"

namespace sotto {

CsvReader::CsvReader(std::unique_ptr<ByteSource> source, CsvLayout layout, ReadOptions options)
    : CsvReader{std::make_unique<CsvParser>(layout.separator, StructureErrors(source->name(), options)),
                std::move(source), std::move(layout)} {}

CsvReader::CsvReader(std::unique_ptr<CsvParser> parser, std::unique_ptr<ByteSource> source, CsvLayout layout)
    : TextReader(std::move(source), std::move(parser)), layout_(std::move(layout)) {
  for (std::uint32_t i = 0; i < layout_.skip_lines; ++i) {
    if (!skip_line()) break;
  }
  if (layout_.header != HeaderLine::absent) {
    name_columns_from_header();
  } else {
    name_columns_from_first_row();
  }
  check_names();
  cells().require_cells(columns_.size());
}

CsvParser& CsvReader::cells() noexcept { return static_cast<CsvParser&>(parser()); }

/// Names leave with the model. A row that is taken for them would too, so a first line that may be one needs a word.
void CsvReader::refuse_numbers_for_names(std::span<const std::string_view> names) const {
  const auto spells_number = [](std::string_view cell) { return !std::isnan(parse_number(cell)); };
  if (layout_.header == HeaderLine::present || std::ranges::none_of(names, spells_number)) return;
  throw Error(
      ErrorKind::invalid_argument,
      errors().source() + ": header: the first line looks like a row, as it has a number where a name is expected",
      "header", {HintKind::say_header});
}

void CsvReader::name_columns_from_header() {
  RawRow row;
  if (!TextReader::next(row)) errors().fail("is empty: it has no header and no rows");
  refuse_numbers_for_names(row.cells);
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    columns_.emplace_back(row.cells[i].empty() ? "column_" + std::to_string(i + 1) : std::string(row.cells[i]));
  }
  if (layout_.names_only) return;
  cells().allow(columns_.size() + 1);
  if (peek(row) && row.cells.size() == columns_.size() + 1) {
    columns_.insert(columns_.begin(), std::string(kRowNamesColumn));
  }
}

void CsvReader::name_columns_from_first_row() {
  RawRow row;
  if (!peek(row)) errors().fail("is empty: it has no header and no rows");
  if (!layout_.names.empty()) {
    columns_ = layout_.names;
    return;
  }
  for (std::size_t i = 0; i < row.cells.size(); ++i) columns_.push_back(std::to_string(i + 1));
}

void CsvReader::check_names() const {
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const auto [place, is_new] = seen.emplace(columns_[i], i + 1);
    if (is_new) continue;
    // The names are not shown: a file without a header read as one with a header would show its first row.
    errors().fail("columns " + std::to_string(place->second) + " and " + std::to_string(i + 1) +
                  " have the same name; if the first line is not a header, say so (header: false)");
  }
}

}  // namespace sotto
