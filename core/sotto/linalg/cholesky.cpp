#include "sotto/linalg/cholesky.h"

#include <cmath>

#include "sotto/linalg/kernels.h"

namespace sotto {

bool Cholesky::factor(const AlignedVector& matrix, std::size_t order, double ridge) {
  lower_ = matrix;
  order_ = 0;
  for (std::size_t i = 0; i < order; ++i) {
    double* row = lower_.data() + i * order;
    for (std::size_t j = 0; j <= i; ++j) {
      const double* other = lower_.data() + j * order;
      const double rest = row[j] + (i == j ? ridge : 0) - kernels::dot(row, other, j);
      if (i != j) {
        row[j] = rest / other[j];
      } else {
        if (!(rest > 0)) return false;
        row[i] = std::sqrt(rest);
      }
    }
  }
  order_ = order;
  return true;
}

void Cholesky::solve(double* x) const noexcept {
  for (std::size_t i = 0; i < order_; ++i) {
    const double* row = lower_.data() + i * order_;
    x[i] = (x[i] - kernels::dot(row, x, i)) / row[i];
  }
  for (std::size_t i = order_; i-- > 0;) {
    const double* row = lower_.data() + i * order_;
    x[i] /= row[i];
    kernels::axpy(-x[i], row, x, i);
  }
}

}  // namespace sotto
