#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

/// Counts of what became of the rows of a table while they were encoded. They describe private rows: for those who may read
/// these, NOT FOR RELEASE. Every count is a whole number, so that counts of parts add up to those of the whole, in any order.
namespace sotto {

/// What there is to say about one cell. Training says none of it.
enum class ProblemKind { empty_cell, not_a_number, not_finite, out_of_range, undeclared_category, unknown_label };
inline constexpr std::size_t kProblemKinds = 6;
std::string_view name_of(ProblemKind kind) noexcept;

/// The cells of one column of the source. Labels have no such column.
struct ColumnTally {
  std::array<std::uint64_t, kProblemKinds> problems{};
  std::uint64_t known = 0;    ///< numbers, or texts that are declared
  std::uint64_t missing = 0;  ///< declared to mean that there is none
  double low = 0.0;           ///< of what is known, of texts by their place in the declaration; 0 where nothing is
  double high = 0.0;
  std::uint64_t pull = 0;  ///< its share of the squared length, summed over rows that were clipped, in kWholePull

  static constexpr double kWholePull = 0x1p30;
  std::uint64_t of(ProblemKind kind) const noexcept { return problems[static_cast<std::size_t>(kind)]; }
  /// Cells that make a row zero.
  std::uint64_t spoiled() const noexcept;
  /// The same in all rows that were counted.
  bool constant() const noexcept;
  void take(double value) noexcept;
  /// An entry of this value in a clipped row of that length.
  void pull_by(double value, double length) noexcept;
  void add(const ColumnTally& other) noexcept;
  bool operator==(const ColumnTally&) const = default;
};

struct RowTally {
  std::uint64_t rows = 0;
  std::uint64_t unusable = 0;          ///< rows that a bad cell or label has made zero
  std::uint64_t clipped = 0;           ///< rows that are longer than the declared norm
  std::uint64_t halved = 0;            ///< rows that are more than twice as long
  std::vector<std::uint64_t> classes;  ///< of the usable rows, in the order of class_texts
  std::uint64_t unknown_labels = 0;    ///< rows whose label is not declared
  std::vector<ColumnTally> columns;    ///< in the order of the encoder's columns; the last is the constant feature

  void start(std::size_t column_count, std::size_t class_count);
  void note(ProblemKind kind, std::size_t column) noexcept;
  /// A row of this length before it was clipped to `norm`. True if it was.
  bool take_length(double length, double norm) noexcept;
  std::uint64_t of(ProblemKind kind) const noexcept;
  void add(const RowTally& other);
  bool operator==(const RowTally&) const = default;
};

}  // namespace sotto
