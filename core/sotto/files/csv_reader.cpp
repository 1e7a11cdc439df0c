#include "sotto/files/csv_reader.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "sotto/base/error.h"
#include "sotto/data/number.h"

namespace sotto {
namespace {

constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

std::string cells_text(std::size_t count) { return std::to_string(count) + (count == 1 ? " cell" : " cells"); }

}  // namespace

CsvReader::CsvReader(std::unique_ptr<ByteSource> source, CsvLayout layout, ReadOptions options)
    : lines_(std::move(source), options), layout_(std::move(layout)) {
  for (std::uint32_t i = 0; i < layout_.skip_lines; ++i) {
    if (!lines_.next(line_)) break;
  }
  if (!read_record(kMaxColumns)) lines_.errors().fail("is empty: it has no header and no rows");
  if (layout_.header != HeaderLine::absent) {
    name_columns_from_header();
  } else {
    name_columns_from_first_row();
  }
  check_names();
}

/// Names leave with the model. A row that is taken for them would too, so a first line that may be one needs a word.
void CsvReader::refuse_numbers_for_names() const {
  const auto spells_number = [](std::string_view cell) { return !std::isnan(parse_number(cell)); };
  if (layout_.header == HeaderLine::present || std::ranges::none_of(cells_, spells_number)) return;
  throw Error(ErrorKind::invalid_argument,
              lines_.errors().source() +
                  ": header: the first line looks like a row, as it has a number where a name is expected",
              "header", {HintKind::say_header});
}

void CsvReader::name_columns_from_header() {
  refuse_numbers_for_names();
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    columns_.emplace_back(cells_[i].empty() ? "column_" + std::to_string(i + 1) : std::string(cells_[i]));
  }
  if (layout_.names_only) return;
  first_row_waits_ = read_record(columns_.size() + 1);
  if (first_row_waits_ && cells_.size() == columns_.size() + 1)
    columns_.insert(columns_.begin(), std::string(kRowNamesColumn));
}

void CsvReader::name_columns_from_first_row() {
  first_row_waits_ = true;
  if (!layout_.names.empty()) {
    columns_ = layout_.names;
    return;
  }
  for (std::size_t i = 0; i < cells_.size(); ++i) columns_.push_back(std::to_string(i + 1));
}

void CsvReader::check_names() const {
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const auto [place, is_new] = seen.emplace(columns_[i], i + 1);
    if (is_new) continue;
    // The names are not shown: a file without a header read as one with a header would show its first row.
    lines_.errors().fail("columns " + std::to_string(place->second) + " and " + std::to_string(i + 1) +
                         " have the same name; if the first line is not a header, say so (header: false)");
  }
}

bool CsvReader::next(RawRow& row) {
  if (layout_.names_only) return false;
  if (first_row_waits_) {
    first_row_waits_ = false;
  } else if (!read_record(columns_.size())) {
    return false;
  }
  if (cells_.size() != columns_.size()) {
    lines_.errors().fail(record_line_, "a row has " + cells_text(cells_.size()) + " where " +
                                           std::to_string(columns_.size()) + " are expected");
  }
  row = RawRow{.line = record_line_, .cells = cells_, .indices = {}, .values = {}, .label = {}};
  return true;
}

bool CsvReader::read_record(std::size_t max_cells) {
  do {
    if (!lines_.next(line_)) return false;
    position_ = 0;
    skip_blanks();
  } while (position_ == line_.size());  // a line of separators alone is a row of empty cells
  record_line_ = lines_.number();
  max_cells_ = max_cells;
  position_ = 0;
  cells_.clear();
  if (line_.find('"') == std::string_view::npos) {
    split_plain();
  } else {
    split_quoted();
  }
  return true;
}

void CsvReader::skip_blanks() noexcept {
  while (position_ < line_.size() && is_blank(line_[position_]) &&
         (layout_.separator == ' ' || line_[position_] != layout_.separator)) {
    ++position_;
  }
}

std::size_t CsvReader::find_separator(std::size_t from) const noexcept {
  const std::size_t found =
      layout_.separator == ' ' ? line_.find_first_of(" \t", from) : line_.find(layout_.separator, from);
  return std::min(found, line_.size());
}

void CsvReader::add_cell(std::string_view cell) {
  if (cells_.size() == max_cells_) {
    lines_.errors().fail(record_line_, "a row has more than the expected " + cells_text(max_cells_));
  }
  cells_.push_back(cell);
}

void CsvReader::split_plain() {
  if (layout_.separator == ' ') line_ = trim(line_);
  while (true) {
    const std::size_t end = find_separator(position_);
    add_cell(trim(line_.substr(position_, end - position_)));
    if (end == line_.size()) return;
    position_ = end + 1;
    if (layout_.separator == ' ') skip_blanks();
  }
}

void CsvReader::split_quoted() {
  text_.clear();
  ends_.clear();
  if (layout_.separator == ' ') line_ = trim(line_);
  while (true) {
    skip_blanks();
    if (position_ < line_.size() && line_[position_] == '"') {
      take_quoted_cell();
    } else {
      const std::size_t end = find_separator(position_);
      text_ += trim(line_.substr(position_, end - position_));
      position_ = end;
    }
    add_cell({});  // counts it; the text may still move
    ends_.push_back(text_.size());
    if (layout_.separator == ' ') skip_blanks();
    if (position_ == line_.size()) break;
    if (layout_.separator != ' ') ++position_;
  }
  std::size_t begin = 0;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    cells_[i] = trim(std::string_view(text_).substr(begin, ends_[i] - begin));
    begin = ends_[i];
  }
}

void CsvReader::take_quoted_cell() {
  ++position_;
  while (true) {
    const std::size_t quote = line_.find('"', position_);
    text_ += line_.substr(position_, quote == line_.npos ? line_.npos : quote - position_);
    if (text_.size() > LineReader::kMaxLineBytes) {
      lines_.errors().fail(record_line_, "a quoted cell is longer than any line may be");
    }
    if (quote == line_.npos) {
      text_ += '\n';
      if (!lines_.next(line_)) lines_.errors().fail(record_line_, "a quoted cell is never closed");
      position_ = 0;
    } else if (quote + 1 < line_.size() && line_[quote + 1] == '"') {
      text_ += '"';
      position_ = quote + 2;
    } else {
      position_ = quote + 1;
      break;
    }
  }
  const std::size_t closed = position_;
  skip_blanks();
  const bool fits = position_ == line_.size() ||
                    (layout_.separator == ' ' ? position_ > closed : line_[position_] == layout_.separator);
  if (!fits) lines_.errors().fail(record_line_, "text follows a closing quote");
}

}  // namespace sotto
