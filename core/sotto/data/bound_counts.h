#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/sensitive.h"
#include "sotto/base/sha256.h"
#include "sotto/data/encoder.h"
#include "sotto/linalg/vector.h"

/// Counts from which bounds are found privately (bounds.h). A row adds at most one to each of them.
namespace sotto {

/// Public candidates for a bound on sizes, ascending: (1 + i/16) 2^j, i = 0 to 15, j = -20 to 39.
std::vector<double> size_grid();
/// Public candidates for bounds of numbers of at most that size, ascending: 129 at equal distances, 0 in the middle.
std::vector<double> range_grid(double largest);

/// How numbers, one a row, lie to candidates for a bound.
class BoundCounts {
 public:
  /// The largest the score of one candidate may move against that of another when one row is replaced, added or
  /// removed. Scores are multiples of kGrid, and exact for fewer than 2^40 rows.
  static constexpr double kRange = 1;
  static constexpr double kGrid = 0x1p-12;

  explicit BoundCounts(std::vector<double> grid);
  const std::vector<double>& grid() const noexcept { return grid_; }
  /// So many rows with this number. One that is not finite is not counted.
  void add(double value, std::uint64_t rows = 1) noexcept;
  /// One score for each candidate t: -max(0, rows below t - tail * rows counted), the product rounded down to the grid.
  /// Best for every t below which there are few.
  Sensitive<Vector> below(double tail) const;
  /// The same for rows above t.
  Sensitive<Vector> above(double tail) const;

 private:
  double allowed(double tail) const noexcept;

  std::vector<double> grid_;
  std::vector<std::uint64_t> cells_;  // 2 i + 1: equal to candidate i; 2 i: between candidates i - 1 and i
};

/// A column whose bounds or texts are wanted, by its name: where it is, every reading finds for itself.
struct OpenColumn {
  std::string name;
  bool text = false;
};

/// Longer texts, empty ones and what is not UTF-8 are no categories.
inline constexpr std::size_t kLongestCategory = 256;
bool may_be_category(std::string_view text) noexcept;

/// What a reading of a whole file was of, taken from the bytes that were parsed.
struct FileReading {
  std::uint64_t rows = 0;
  Digest fingerprint{};  ///< see fingerprint.h
};

/// What the cells of the open columns show; each is a secret.
struct ColumnCounts {
  std::vector<BoundCounts> sizes;  ///< one an open column that is not text, in their order; over size_grid()
  std::vector<Sensitive<std::map<std::string, std::uint64_t>>> texts;  ///< one an open text column
  FileReading reading;
};
/// Reads the whole file once. Throws Error{invalid_data}, as the next one does, if it has not the open columns.
ColumnCounts count_columns(const std::string& path, const Schema& schema, std::span<const OpenColumn> open);
/// Fills the counts of the open columns that are not text, one of `counts` each. Reads the whole file once.
FileReading count_numbers(const std::string& path, const Schema& schema, std::span<const OpenColumn> open,
                          std::span<BoundCounts> counts);

struct NormCounts {
  BoundCounts norms;
  FileReading reading;
  std::optional<double> largest;  ///< what the schema allows, whatever the rows (Encoder::largest_norm)
};
/// The L2 norms of the encoded rows before they are clipped, over size_grid(). Reads the whole file once.
NormCounts count_norms(const std::string& path, Schema complete);

}  // namespace sotto
