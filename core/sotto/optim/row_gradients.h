#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "sotto/data/facts.h"
#include "sotto/data/row_block.h"
#include "sotto/linalg/vector.h"
#include "sotto/losses/loss.h"
#include "sotto/optim/row_grid.h"

namespace sotto {

/// The number of weights of a model for this loss and these facts: one vector of `features` numbers per output, one
/// after the other.
inline std::size_t weight_count(const Loss& loss, const Facts& facts) noexcept {
  return std::size_t{outputs_of(loss, facts.classes)} * facts.features;
}

/// The number of terms behind a computed step, as the rounding bounds of spec 5.4 count them: d products of a score,
/// the rows of a batch, and four for the rest. Several outputs: every score and every coordinate of the sum is computed
/// as for one output, so with the norms of spec 5.4 taken over all outputs (|w|, L) the errors of the K scores add up
/// in squares to those of one, and a loss that is smooth in its scores hands them on alike. Only softmax adds over
/// outputs: the sum of K exponentials and the shift by the largest score change each share by at most (K + 4) u of it.
/// So K more.
inline double rounding_terms(const Loss& loss, const Facts& facts, std::uint64_t batch_rows) noexcept {
  const std::uint32_t outputs = outputs_of(loss, facts.classes);
  const double rows_in_batch = static_cast<double>(std::min(batch_rows, facts.rows));
  return facts.features + rows_in_batch + 4 + (outputs == 1 ? 0 : outputs);
}

/// How far the computed slopes of a row may be from the exact ones at the computed scores, in units of 2^-53 of the
/// gradient's bound. k is the largest curvature in a score: Huber's slope (1 + h - m)/(2h) takes a margin from a number
/// near 1, so that it is off by (1 + h)/(2h) = k + 1/2 units and two roundings; the other slopes by at most 8.
inline double slope_rounding(const LossConstants& constants, double data_norm) noexcept {
  return 8 + 2 * constants.smoothness / (data_norm * data_norm);
}

/// Which length of a row a gradient is clipped by: its own, or the declared bound, whatever the row's own: then the
/// slope is clipped, the same for all rows.
enum class ClipBy { row, bound };

/// Points origin - lengths[j] direction, in the space of all weights.
struct WeightLine {
  std::span<const double> origin;
  std::span<const double> direction;
  std::span<const double> lengths;
};

/// Scores of some rows: along the direction of a line, and at a point of it.
struct LineScores {
  AlignedVector along;
  AlignedVector at;
};

/// How losses along a line are summed: with this working memory, and rounded to this grid after they were moved into
/// [0, its bound].
struct LineSums {
  LineScores& scratch;
  const RowGrid& grid;
};

/// Losses and data gradients of rows at given weights, dense or sparse, for one output or several. A gradient is
/// multiplied by the row's weight, after the clip; losses are not. Equal rows and
/// weights give equal bits, however the rows are blocked. Nothing allocates after construction.
class RowGradients {
 public:
  /// A row's gradient longer than `clip` is scaled to that length.
  RowGradients(const Loss& loss, const Facts& facts, double clip = std::numeric_limits<double>::infinity(),
               ClipBy by = ClipBy::row);

  std::size_t weights() const noexcept { return outputs_ * features_; }
  /// sum += the gradients of the rows, in their order; sum has weights() numbers.
  void add(const RowBlock& rows, const double* weights, double* sum) noexcept;
  /// The same in units of 1/scale, each coordinate of each row rounded to an integer: a function of the row and the
  /// weights alone. A row whose slope is no number adds nothing.
  void add(const RowBlock& rows, const double* weights, double scale, std::int64_t* sum) noexcept;
  /// sum plus the rows' losses in their order, each moved into [0, value_cap] first.
  double add_values(const RowBlock& rows, const double* weights, double value_cap, double sum) noexcept;
  /// The losses at each point origin - lengths[j] direction of a line, in units of the grid, to sums[j]. A score there is
  /// the one at the origin less lengths[j] times that of the direction.
  void add_values_along(const RowBlock& rows, const WeightLine& line, const LineSums& how, std::int64_t* sums) noexcept;
  /// Working memory of add_values_along().
  LineScores line_scores() const { return {scores_, scores_}; }

 private:
  template <class Visit>
  void for_each_chunk(const RowBlock& rows, const double* weights, const Visit& visit) noexcept;
  void scores(const RowBlock& rows, const double* weights) noexcept;
  void to_coefficients(const RowBlock& rows) noexcept;
  void clip_coefficients(const RowBlock& rows) noexcept;
  void scale_coefficients(std::size_t rows, double scale) noexcept;
  void to_values(const RowBlock& rows, double* scores) noexcept;

  Loss loss_;
  std::size_t features_;
  std::size_t outputs_;
  double clip_;
  ClipBy by_;
  double row_bound_;        // on the norm of a row
  double steepest_;         // bound on a coefficient
  bool clips_;              // the bound of the loss does not imply the clip
  std::size_t chunk_rows_;  // rows that stay in a near cache while they are read again
  AlignedVector scores_;    // output k of row i at [k * chunk_rows_ + i]; later the coefficient of the row
  AlignedVector class_of_;  // class_of_[i] is the index of row i's class, for losses of all scores
};

}  // namespace sotto
