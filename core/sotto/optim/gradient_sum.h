#pragma once
#include <cstddef>
#include <limits>
#include <memory>
#include <span>

#include "sotto/base/sensitive.h"
#include "sotto/optim/row_gradients.h"
#include "sotto/optim/vector_sum.h"

namespace sotto {

/// The sum of the rows' data gradients at one point. The regulariser, which reads no row, is not in it.
class GradientSum final : public VectorSum<GradientSum> {
 public:
  GradientSum(const Loss& loss, const Facts& facts, double clip = std::numeric_limits<double>::infinity());

  /// Starts a new sum at these weights, which must stay while rows are consumed.
  void start(std::span<const double> weights) noexcept;
  /// What was summed since start(), still secret.
  Sensitive<Vector> take() const { return Sensitive<Vector>(Vector(sum_.begin(), sum_.end())); }

  void consume(const RowBlock& block) noexcept override;

 private:
  friend class SecretDescent;  // whose weights are as secret as the sum

  RowGradients gradients_;
  const double* weights_ = nullptr;
};

/// The sums of the rows' losses at several points of a line in one scan, each loss moved into [0, cap].
class LossSums final : public RowSum {
 public:
  /// Sums of losses one row may change by at most `cap`; infinity: not capped.
  LossSums(const Loss& loss, const Facts& facts, double cap = std::numeric_limits<double>::infinity());

  /// Starts new sums at the points of a line, which must stay while rows are consumed.
  void start(const WeightLine& line);
  Sensitive<Vector> take() const { return Sensitive<Vector>(sums_); }

  void consume(const RowBlock& block) noexcept override;
  std::unique_ptr<RowSum> empty_copy() const override;
  void clear() noexcept override;
  void merge(const RowSum& other) noexcept override;

 private:
  RowGradients gradients_;
  double cap_;
  WeightLine line_;
  LineScores scores_;
  Vector sums_;
};

/// How far a computed sum over the rows of vectors of norm at most `bound` may be from the exact sum of the computed
/// vectors, for each of two neighbours: sums of sum_rows().
double sum_rounding(std::uint64_t rows, double bound) noexcept;
/// The same of rows added one after the other, as scan_rows() does.
double chain_rounding(double rows, double bound) noexcept;

}  // namespace sotto
