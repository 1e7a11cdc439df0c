#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/sensitive.h"
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
  /// removed, with what computing it in binary64 may add for fewer than 2^40 rows.
  static constexpr double kRange = 1 + 0x1p-10;

  explicit BoundCounts(std::vector<double> grid);
  const std::vector<double>& grid() const noexcept { return grid_; }
  /// A number that is not finite is not counted.
  void add(double value) noexcept;
  /// One score a candidate t: -max(0, rows below t - tail * rows counted). Best for every t below which there are few.
  Sensitive<Vector> below(double tail) const;
  /// The same for rows above t.
  Sensitive<Vector> above(double tail) const;

 private:
  double allowed(double tail) const noexcept;

  std::vector<double> grid_;
  std::vector<std::uint64_t> cells_;  // 2 i + 1: equal to candidate i; 2 i: between candidates i - 1 and i
};

/// A column whose bounds or texts are wanted, by its position in the file.
struct OpenColumn {
  std::size_t position = 0;
  bool text = false;
};

/// Longer texts, empty ones and what is not UTF-8 are no categories.
inline constexpr std::size_t kLongestCategory = 256;
bool may_be_category(std::string_view text) noexcept;

/// What the cells of the open columns show; each is a secret.
struct ColumnCounts {
  std::vector<BoundCounts> sizes;  ///< one an open column that is not text, in their order; over size_grid()
  std::vector<Sensitive<std::map<std::string, std::uint64_t>>> texts;  ///< one an open text column
};
/// Reads the whole file once.
ColumnCounts count_columns(const std::string& path, const Schema& schema, std::span<const OpenColumn> open);
/// Fills the counts of the open columns that are not text, one of `counts` each. Reads the whole file once.
void count_numbers(const std::string& path, const Schema& schema, std::span<const OpenColumn> open,
                   std::span<BoundCounts> counts);

/// The L2 norms of the encoded rows before they are clipped, over size_grid(). Reads the whole file once.
BoundCounts count_norms(const std::string& path, Schema complete);

}  // namespace sotto
