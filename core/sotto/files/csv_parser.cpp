#include "sotto/files/csv_parser.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace sotto {
namespace {

std::string cells_text(std::size_t count) { return std::to_string(count) + (count == 1 ? " cell" : " cells"); }

/// Calls `found` with the place of every `wanted` in [at, end), in order; eight bytes at a time.
template <class Found>
void for_each_place(const char* at, const char* end, char wanted, const Found& found) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kLow = 0x7f * kOnes;
  if constexpr (std::endian::native == std::endian::little) {
    const std::uint64_t pattern = kOnes * static_cast<unsigned char>(wanted);
    for (; end - at >= 8; at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, sizeof word);
      word ^= pattern;
      std::uint64_t hits = ~(((word & kLow) + kLow) | word | kLow);  // the high bit of every byte that is 0
      for (; hits != 0; hits &= hits - 1) found(at + std::countr_zero(hits) / 8);
    }
  }
  for (; at != end; ++at) {
    if (*at == wanted) found(at);
  }
}

}  // namespace

PieceParser::Step CsvParser::next(RawRow& row) {
  do {
    remember_row();
    if (!take_line(line_)) return Step::end;
    position_ = 0;
    skip_blanks();
  } while (position_ == line_.size());  // a line of separators alone is a row of empty cells
  record_line_ = lines();
  position_ = 0;
  cells_.clear();
  if (may_have_quotes() && line_.find('"') != line_.npos) {
    if (!split_quoted()) return Step::open;
  } else if (separator_ == ' ') {
    split_blanks();
  } else {
    split_plain();
  }
  if (required_ != 0 && cells_.size() != required_) {
    errors().fail(record_line_,
                  "a row has " + cells_text(cells_.size()) + " where " + std::to_string(required_) + " are expected");
  }
  row = RawRow{.line = record_line_, .cells = cells_, .indices = {}, .values = {}, .label = {}};
  return Step::row;
}

void CsvParser::skip_blanks() noexcept {
  while (position_ < line_.size() && is_blank(line_[position_]) &&
         (separator_ == ' ' || line_[position_] != separator_)) {
    ++position_;
  }
}

std::size_t CsvParser::find_separator(std::size_t from) const noexcept {
  const std::size_t found = separator_ == ' ' ? line_.find_first_of(" \t", from) : line_.find(separator_, from);
  return std::min(found, line_.size());
}

void CsvParser::add_cell(std::string_view cell) {
  if (cells_.size() == max_cells_) {
    errors().fail(record_line_, "a row has more than the expected " + cells_text(max_cells_));
  }
  cells_.push_back(cell);
}

void CsvParser::split_plain() {
  const char* begin = line_.data();
  const char* end = begin + line_.size();
  std::size_t count = 0;
  if (required_ != 0) cells_.resize(required_);  // the usual number: no cell needs room of its own
  const auto add = [&](const char* place) {
    const std::string_view cell = trim({begin, static_cast<std::size_t>(place - begin)});
    if (count < cells_.size()) [[likely]] {
      cells_.data()[count] = cell;
    } else {
      add_cell(cell);
    }
    ++count;
    begin = place + 1;
  };
  for_each_place(begin, end, separator_, add);
  add(end);
  cells_.resize(count);
}

void CsvParser::split_blanks() {
  line_ = trim(line_);
  while (true) {
    const std::size_t end = find_separator(position_);
    add_cell(line_.substr(position_, end - position_));
    if (end == line_.size()) return;
    position_ = end + 1;
    skip_blanks();
  }
}

/// False if a quoted cell goes on after the piece.
bool CsvParser::split_quoted() {
  text_.clear();
  ends_.clear();
  if (separator_ == ' ') line_ = trim(line_);
  while (true) {
    skip_blanks();
    if (position_ < line_.size() && line_[position_] == '"') {
      if (!take_quoted_cell()) return false;
    } else {
      const std::size_t end = find_separator(position_);
      text_ += trim(line_.substr(position_, end - position_));
      position_ = end;
    }
    add_cell({});  // counts it; the text may still move
    ends_.push_back(text_.size());
    if (separator_ == ' ') skip_blanks();
    if (position_ == line_.size()) break;
    if (separator_ != ' ') ++position_;
  }
  std::size_t begin = 0;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    cells_[i] = trim(std::string_view(text_).substr(begin, ends_[i] - begin));
    begin = ends_[i];
  }
  return true;
}

/// To the next line of a quoted cell; false if it is not in this piece.
bool CsvParser::go_to_next_line() {
  text_ += '\n';
  position_ = 0;
  if (take_line(line_)) return true;
  if (last()) errors().fail(record_line_, "a quoted cell is never closed");
  unread_row();
  return false;
}

bool CsvParser::take_quoted_cell() {
  ++position_;
  while (true) {
    const std::size_t quote = line_.find('"', position_);
    text_ += line_.substr(position_, quote == line_.npos ? line_.npos : quote - position_);
    if (text_.size() > kMaxLineBytes) {
      errors().fail(record_line_, "a quoted cell is longer than any line may be");
    }
    if (quote == line_.npos) {
      if (!go_to_next_line()) return false;
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
  const bool fits =
      position_ == line_.size() || (separator_ == ' ' ? position_ > closed : line_[position_] == separator_);
  if (!fits) errors().fail(record_line_, "text follows a closing quote");
  return true;
}

}  // namespace sotto
