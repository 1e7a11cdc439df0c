#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sotto/data/facts.h"
#include "sotto/linalg/crossings.h"
#include "sotto/linalg/vector.h"
#include "sotto/losses/loss.h"
#include "sotto/optim/row_counts.h"
#include "sotto/optim/row_tile.h"

namespace sotto {

/// A weight vector made of two parents: the weights before `cut` are those of `head`, the others those of `tail`, and
/// `move` is added to one.
struct Crossing {
  std::size_t head;
  std::size_t tail;
  std::size_t cut;
  std::size_t moved;
  double move;
};

/// The weights of a crossing of parents, which lie one after the other.
Vector crossed_weights(std::span<const double> parents, std::size_t dimension, const Crossing& crossing);

/// How many rows each of several crossings gets wrong, in one scan that scores their parents alone. A row changes each
/// count by at most 1; the counts are those of ErrorCounts but for rounding, and the same for dense and sparse rows.
class CrossedErrors final : public RowCounts {
 public:
  CrossedErrors(const Loss& loss, const Facts& facts);
  /// Starts new counts of these crossings. Parents are finite weight vectors one after the other.
  void start(std::span<const double> parents, std::span<const Crossing> crossings);
  void consume(const RowBlock& block) noexcept override;
  std::unique_ptr<RowSum> empty_copy() const override;

 private:
  /// What a child reads of a row, in the order of children_.
  struct Place {
    std::uint32_t cut_column;
    std::uint32_t moved_column;
  };
  void transpose(std::span<const double> parents);
  void add(const Crossing& crossing);
  void count(const RowBlock& rows) noexcept;

  std::size_t features_;
  std::size_t outputs_;
  std::size_t parents_ = 0;
  AlignedVector weights_;
  std::vector<std::size_t> order_;  // the crossing that each child is
  std::vector<kernels::Child> children_;
  std::vector<std::uint32_t> slots_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> by_column_;  // children, by the columns of their cuts

  RowTile tile_;
  std::vector<std::uint32_t> cuts_;
  std::vector<std::uint32_t> moved_;
  AlignedVector row_classes_;
  AlignedVector lanes_;
  std::vector<std::uint32_t> right_;
};

}  // namespace sotto
