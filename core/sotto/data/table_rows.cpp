#include "sotto/data/table_rows.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "sotto/base/error.h"

namespace sotto {
namespace {

/// As Python spells it, a whole number without a point. A column with one text in it comes as texts: the spelling of the
/// other cells must not depend on that, or one row would change what all the others are encoded to.
std::string_view number_text(double number, std::span<char> room) noexcept {
  constexpr double kPlainFrom = 1e-4, kPlainBelow = 1e16;
  char* const end = room.data() + room.size();
  const double size = std::fabs(number);
  std::to_chars_result written{};
  if (size < kPlainBelow && number == std::floor(number)) {
    written = std::to_chars(room.data(), end, static_cast<std::int64_t>(number));
  } else {
    const bool plain = size >= kPlainFrom && size < kPlainBelow;
    written = std::to_chars(room.data(), end, number, plain ? std::chars_format::fixed : std::chars_format::scientific);
  }
  return {room.data(), static_cast<std::size_t>(written.ptr - room.data())};
}

std::string_view cell_text(const TableColumn& column, std::size_t row, std::span<char> room) noexcept {
  if (column.places.empty()) {
    const double number = column.numbers[row];
    return std::isnan(number) ? std::string_view(column.missing) : number_text(number, room);
  }
  const std::int32_t place = column.places[row];
  const bool known = place >= 0 && static_cast<std::size_t>(place) < column.texts.size();
  return known ? std::string_view(column.texts[static_cast<std::size_t>(place)]) : std::string_view(column.missing);
}

}  // namespace

TableReader::TableReader(const std::vector<TableColumn>& table)
    : table_(table), rows_(table.empty() ? 0 : table.front().rows()), room_(table.size()), cells_(table.size()) {
  require(!table.empty() && table.size() <= kMaxColumns, "columns", "a table needs at least one, and at most 2^20");
  std::set<std::string_view> distinct;
  for (const TableColumn& column : table) {
    require(distinct.insert(column.name).second, "columns", "two are called " + column.name);
    require(column.rows() == rows_, "columns", "all must have the same number of rows");
    require(column.numbers.empty() || column.places.empty(), "columns", "one holds numbers or texts, not both");
    names_.push_back(column.name);
  }
}

bool TableReader::next(RawRow& row) {
  if (next_ == rows_) return false;
  for (std::size_t i = 0; i < table_.size(); ++i) cells_[i] = cell_text(table_[i], next_, room_[i]);
  row = {};
  row.line = ++next_;
  row.cells = cells_;
  return true;
}

Digest fingerprint_of(const std::vector<TableColumn>& table) {
  std::vector<const TableColumn*> order;
  for (const TableColumn& column : table) order.push_back(&column);
  std::ranges::sort(order, {}, [](const TableColumn* column) -> std::string_view { return column->name; });
  Sha256 hash;
  hash.add_text("sotto columns 1");
  hash.add_number(table.size());
  std::array<char, 32> room{};
  for (const TableColumn* column : order) {
    hash.add_text(column->name);
    hash.add_number(column->rows());
    for (std::size_t row = 0; row < column->rows(); ++row) hash.add_text(cell_text(*column, row, room));
  }
  return hash.finish();
}

}  // namespace sotto
