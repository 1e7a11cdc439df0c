#pragma once
#include <cstddef>
#include <memory>

#include "sotto/base/sensitive.h"
#include "sotto/data/facts.h"
#include "sotto/linalg/vector.h"
#include "sotto/optim/row_sum.h"

namespace sotto {

/// The sum of x x' over the rows. It leaves as one vector: the lower triangle, row by row, off-diagonal entries times
/// sqrt(2), so that the L2 norm of the vector is the Frobenius norm of the matrix.
class SecondMoments final : public RowSum {
 public:
  explicit SecondMoments(const Facts& facts);
  static std::size_t packed_size(std::size_t features) noexcept { return features * (features + 1) / 2; }

  /// What was summed, still secret.
  Sensitive<Vector> take() const;

  void consume(const RowBlock& block) noexcept override;
  std::unique_ptr<RowSum> empty_copy() const override;
  void clear() noexcept override;
  void merge(const RowSum& other) noexcept override;

 private:
  std::size_t features_;
  AlignedVector row_;
  AlignedVector sum_;
};

/// The most by which the exact vector moves when one row of norm at most `data_norm` is replaced, or is added.
double second_moments_sensitivity(double data_norm, bool replaced) noexcept;

/// The matrix of a vector of that form, full.
Vector unpack_second_moments(const Vector& packed, std::size_t features);

}  // namespace sotto
