#include "sotto/data/row_tally.h"

#include <algorithm>
#include <cmath>

#include "sotto/data/facts.h"

namespace sotto {

std::string_view name_of(ProblemKind kind) noexcept {
  switch (kind) {
    case ProblemKind::empty_cell: return "empty cell";
    case ProblemKind::not_a_number: return "not a number";
    case ProblemKind::not_finite: return "not finite";
    case ProblemKind::out_of_range: return "outside the declared range";
    case ProblemKind::undeclared_category: return "category not declared";
    case ProblemKind::unknown_label: return "label not declared";
  }
  return "not a number";
}

std::uint64_t ColumnTally::spoiled() const noexcept {
  return of(ProblemKind::empty_cell) + of(ProblemKind::not_a_number) + of(ProblemKind::not_finite);
}

bool ColumnTally::constant() const noexcept {
  const std::uint64_t others = of(ProblemKind::undeclared_category);
  const int kinds = (known > 0 ? 1 : 0) + (missing > 0 ? 1 : 0) + (others > 0 ? 1 : 0);
  return kinds == 1 && low == high && known + missing + others > 1;
}

void ColumnTally::take(double value) noexcept {
  low = known == 0 ? value : std::min(low, value);
  high = known == 0 ? value : std::max(high, value);
  ++known;
}

void ColumnTally::pull_by(double value, double length) noexcept {
  const double part = value / length;  // squares of the values themselves may leave binary64
  pull += static_cast<std::uint64_t>(std::llround(part * part * kWholePull));
}

void ColumnTally::add(const ColumnTally& other) noexcept {
  for (std::size_t i = 0; i < kProblemKinds; ++i) problems[i] += other.problems[i];
  if (other.known > 0) {
    low = known == 0 ? other.low : std::min(low, other.low);
    high = known == 0 ? other.high : std::max(high, other.high);
  }
  known += other.known;
  missing += other.missing;
  pull += other.pull;
}

void RowTally::start(std::size_t column_count, std::size_t class_count) {
  rows = unusable = clipped = halved = unknown_labels = 0;
  classes.assign(class_count, 0);
  columns.assign(column_count, {});
}

void RowTally::note(ProblemKind kind, std::size_t column) noexcept {
  if (kind == ProblemKind::unknown_label) {
    ++unknown_labels;
  } else {
    ++columns[column].problems[static_cast<std::size_t>(kind)];
  }
}

bool RowTally::take_length(double length, double norm) noexcept {
  if (length <= norm * kNormSlack) return false;
  ++clipped;
  if (length > 2 * norm) ++halved;
  return true;
}

std::uint64_t RowTally::of(ProblemKind kind) const noexcept {
  if (kind == ProblemKind::unknown_label) return unknown_labels;
  std::uint64_t count = 0;
  for (const ColumnTally& column : columns) count += column.of(kind);
  return count;
}

void RowTally::add(const RowTally& other) {
  rows += other.rows;
  unusable += other.unusable;
  clipped += other.clipped;
  halved += other.halved;
  unknown_labels += other.unknown_labels;
  classes.resize(std::max(classes.size(), other.classes.size()));
  columns.resize(std::max(columns.size(), other.columns.size()));
  for (std::size_t k = 0; k < other.classes.size(); ++k) classes[k] += other.classes[k];
  for (std::size_t i = 0; i < other.columns.size(); ++i) columns[i].add(other.columns[i]);
}

}  // namespace sotto
