#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sotto/base/sha256.h"
#include "sotto/data/raw_row.h"

/// Tables that are held by columns (data frames), as rows of cells. A cell is the text it would be in a CSV file, so that one
/// encoder serves both.
namespace sotto {

/// A column of numbers, or of places in a list of texts. What it looks at belongs to someone else.
struct TableColumn {
  std::string name;
  std::span<const double> numbers;       ///< NaN: missing
  std::span<const std::int32_t> places;  ///< in `texts`; any other number: missing
  std::vector<std::string> texts;
  std::string missing = {};  ///< the text of a missing cell

  std::size_t rows() const noexcept { return numbers.size() + places.size(); }
};

/// Reads the rows of a table from the front. The table must outlive it.
class TableReader final : public RowReader {
 public:
  /// Throws Error{invalid_argument} unless names differ and all columns are equally long.
  explicit TableReader(const std::vector<TableColumn>& table);

  RowShape shape() const noexcept override { return RowShape::cells; }
  const std::vector<std::string>& columns() const noexcept override { return names_; }
  std::uint32_t features() const noexcept override { return 0; }
  bool next(RawRow& row) override;
  std::size_t rows() const noexcept { return rows_; }

 private:
  static constexpr std::size_t kNumberRoom = 32;  // of the shortest text that is a double again

  const std::vector<TableColumn>& table_;
  std::vector<std::string> names_;
  std::size_t rows_ = 0;
  std::size_t next_ = 0;
  std::vector<std::array<char, kNumberRoom>> room_;
  std::vector<std::string_view> cells_;
};

/// Identifies the content of a table, whatever the order of its columns and however a schema reads them: SHA-256 over names and
/// cells. The order of rows counts.
Digest fingerprint_of(const std::vector<TableColumn>& table);

}  // namespace sotto
