#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "sotto/data/facts.h"
#include "sotto/linalg/vector.h"
#include "sotto/losses/loss.h"
#include "sotto/optim/row_grid.h"
#include "sotto/optim/row_sum.h"

namespace sotto {

/// The sum of h_i x_i x_i', h_i the curvature of the loss at the row's margin (its mean over the outputs where there
/// are several): the Hessian, or a matrix near its blocks. It guides a solver; nothing rests on its being exact. Rows'
/// products are rounded to whole numbers of a grid, so that the sum has the same bits in any order.
class CurvatureSum final : public RowSum {
 public:
  /// Of all rows, or of about `sample` of them, chosen by their places alone.
  CurvatureSum(const Loss& loss, const Facts& facts, double sample = std::numeric_limits<double>::infinity());

  /// Starts a new sum at these weights, which must stay while rows are consumed.
  void start(std::span<const double> weights) noexcept;

  void go_to(std::uint64_t position) noexcept override { place_ = position; }
  void consume(const RowBlock& block) noexcept override;
  std::unique_ptr<RowSum> empty_copy() const override;
  void clear() noexcept override;
  void merge(const RowSum& other) noexcept override;

 private:
  friend class Minimiser;
  AlignedVector lower_triangle() const;  // features x features, row by row

  bool chosen() noexcept;
  bool weigh(float label, double* row) noexcept;
  void accumulate(std::vector<std::int64_t>& sum) const noexcept;

  static constexpr std::size_t kChunk = 64;
  Loss loss_;
  std::size_t features_;
  std::size_t outputs_;
  std::size_t stride_;  // features, rounded up to whole tiles
  double share_;        // of the rows that are summed, at most 1
  const double* weights_ = nullptr;
  double steepest_;  // bound on a curvature
  RowGrid grid_;
  std::uint64_t place_ = 0;  // of the next row
  std::size_t filled_ = 0;   // rows in rows_
  AlignedVector rows_;       // a chunk of rows times the root of their curvature
  Vector scores_;
  std::vector<std::int64_t> sum_;
};

}  // namespace sotto
