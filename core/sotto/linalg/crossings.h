#pragma once
#include <cstddef>
#include <cstdint>

/// Rows against weight vectors that are crossings of a few parents: the parents are scored, not the children.
namespace sotto::kernels {

inline constexpr std::size_t kTileRows = 8;  ///< rows side by side; each is a lane, whose bits depend on no other

/// Scores lie in slots of kTileRows lanes: the two that are a child's own, that of parent p at output k at
/// kParentSlot + k * parents + p, and behind them one slot a child.
inline constexpr std::uint32_t kMixedSlot = 0, kMovedSlot = 1, kParentSlot = 2;

/// Children ascend by the output that holds their cut, then by its column.
struct Child {
  std::uint32_t output;   ///< that holds the cut; the number of outputs: none does
  std::uint32_t head;     ///< the parent of the columns before the cut
  std::uint32_t tail;     ///< the parent of the others
  std::uint32_t whole;    ///< the slot of the score of `tail` at that output; without a cut, `unmoved`
  std::uint32_t unmoved;  ///< the slot of the score that is moved
  double move;            ///< is added to one weight
};
struct Children {
  std::size_t features;
  std::size_t outputs;
  std::size_t parents;
  const double* weights;  ///< of parent p for column j at output k: (k * features + j) * parents + p
  const Child* children;
  std::size_t count;
  const std::uint32_t* slots;  ///< `outputs` a child: where its scores are
};

/// Some rows, transposed, without the columns that are 0 in all of them.
struct TransposedRows {
  const std::uint32_t* columns;  ///< ascending
  std::size_t count;
  const float* values;         ///< kTileRows zeros, then as many values of each column
  const double* classes;       ///< the class of each row; -1: there is no row
  const std::uint32_t* cuts;   ///< how many of the columns lie before the cut of each child
  const std::uint32_t* moved;  ///< the moved column of each child: 0 (zeros) or 1 + its place in `columns`
};

/// right[c] += how many of the rows child c assigns to their class: that of the largest score, the first of equals;
/// with one output, 1 if the score is above 0, else 0. A score is the sum over columns in ascending order; with a cut
/// it is (head up to the cut - tail up to there) + tail; with a moved weight, that + move * value. Weights must be
/// finite. `lanes`, aligned to 64 bytes as are the classes, has room for all slots; those of children without a cut
/// are 0.
void count_right(const Children& children, const TransposedRows& rows, double* lanes, std::uint32_t* right) noexcept;

}  // namespace sotto::kernels
