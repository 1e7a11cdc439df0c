#pragma once
#include <cstddef>
#include <limits>
#include <memory>
#include <span>

#include "sotto/base/sensitive.h"
#include "sotto/optim/row_gradients.h"
#include "sotto/optim/vector_sum.h"

namespace sotto {

/// Bound on the norm of a row's data gradient, clipped to `clip`.
double gradient_bound(const Loss& loss, const Facts& facts, double clip = std::numeric_limits<double>::infinity());
/// The grid of gradients that are computed with before anything leaves.
RowGrid fine_gradients(const Loss& loss, const Facts& facts, double clip = std::numeric_limits<double>::infinity());

/// The sum of the rows' data gradients at one point. The regulariser, which reads no row, is not in it.
class GradientSum final : public VectorSum<GradientSum> {
 public:
  /// `grid` is one for gradients of norm gradient_bound().
  GradientSum(const Loss& loss, const Facts& facts, const RowGrid& grid,
              double clip = std::numeric_limits<double>::infinity());

  /// Starts a new sum at these weights, which must stay while rows are consumed.
  void start(std::span<const double> weights) noexcept;
  /// What was summed since start(), still secret.
  Sensitive<Vector> take() const { return Sensitive<Vector>(sum_.values()); }

 private:
  friend class VectorSum<GradientSum>;
  friend class SecretDescent;  // whose weights are as secret as the sum
  friend class Minimiser;
  void add(const RowBlock& block, std::int64_t* lanes) noexcept {
    gradients_.add(block, weights_, sum_.grid().scale(), lanes);
  }

  RowGradients gradients_;
  const double* weights_ = nullptr;
};

/// The sums of the rows' losses at several points of a line in one scan, each loss moved into [0, the grid's bound].
class LossSums final : public RowSum {
 public:
  LossSums(const Loss& loss, const Facts& facts, const RowGrid& grid);

  /// Starts new sums at the points of a line, which must stay while rows are consumed.
  void start(const WeightLine& line);
  Sensitive<Vector> take() const { return Sensitive<Vector>(sums_.values()); }

  void consume(const RowBlock& block) noexcept override;
  std::unique_ptr<RowSum> empty_copy() const override;
  void clear() noexcept override { sums_.clear(); }
  void merge(const RowSum& other) noexcept override { sums_.merge(static_cast<const LossSums&>(other).sums_); }

 private:
  RowGradients gradients_;
  WeightLine line_;
  LineScores scores_;
  IntegerSum sums_;
};

}  // namespace sotto
