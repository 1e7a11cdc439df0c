#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sotto/data/text_hash.h"

/// What the cells of a column look like, for those who may read them. NOT FOR RELEASE: nothing here is private.
namespace sotto {

struct ColumnProfile {
  static constexpr std::size_t kMaxDistinct = 1000;
  std::string name;
  std::uint64_t numbers = 0;  ///< finite ones
  std::uint64_t empty = 0;
  std::uint64_t others = 0;  ///< texts, NaN, infinities
  double min = 0.0;          ///< of the finite numbers; 0 when there are none
  double max = 0.0;
  double mean = 0.0;
  std::vector<std::string> distinct;   ///< sorted; empty when there are more than kMaxDistinct
  std::vector<std::uint64_t> cells{};  ///< of each of `distinct`
  bool too_many_distinct = false;
  std::uint64_t dates = 0;             ///< cells that begin like 2024-12-31
  std::uint64_t missing = 0;           ///< cells that spell a missing value, empty ones included
  std::vector<std::string> spelled{};  ///< how, sorted
  bool counts_rows = false;            ///< whole numbers, each one above that of the row before
};

/// The usual spellings of no value, known without looking at a row: empty, ?, NA, N/A, NaN, null and None in the usual
/// cases.
std::span<const std::string_view> missing_spellings() noexcept;
/// Whether a cell is one of them.
bool spells_missing(std::string_view text) noexcept;

/// Collects a profile in memory that kMaxDistinct bounds.
class ColumnProfiler {
 public:
  void add(double value);
  void add(std::string_view text);
  ColumnProfile finish(std::string name);

 private:
  void add_missing(std::string_view text);

  ColumnProfile profile_;
  std::unordered_map<std::string, std::uint64_t, TextHash, std::equal_to<>> seen_;
  double sum_ = 0.0;
  double last_ = 0.0;
  bool counting_ = true;
};

}  // namespace sotto
