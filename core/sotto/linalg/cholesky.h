#pragma once
#include <cstddef>

#include "sotto/linalg/vector.h"

namespace sotto {

/// The Cholesky factor of a symmetric positive definite matrix of which the lower triangle is given, row by row.
class Cholesky {
 public:
  /// Factors matrix + ridge I. Returns false, and holds no factor, if that is not positive definite numerically.
  bool factor(const AlignedVector& matrix, std::size_t order, double ridge);
  /// x <- (matrix + ridge I)^-1 x
  void solve(double* x) const noexcept;
  explicit operator bool() const noexcept { return order_ > 0; }

 private:
  AlignedVector lower_;
  std::size_t order_ = 0;
};

}  // namespace sotto
