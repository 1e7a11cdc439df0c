#pragma once
#include <cstddef>

#include "sotto/linalg/vector.h"

namespace sotto {

/// A symmetric matrix as values and orthonormal vectors: sum_i values[i] v_i v_i', v_i = vectors[i * order ...].
struct SymmetricEigen {
  std::size_t order = 0;
  Vector values;
  Vector vectors;
};

/// By cyclic Jacobi rotations, for the few hundred rows a covariance has; `matrix` is full, order x order.
SymmetricEigen symmetric_eigen(Vector matrix, std::size_t order);

/// sum_i values[i] v_i v_i' with other values on the same vectors, full.
Vector recombine(const SymmetricEigen& eigen, const Vector& values);

/// a b for full square matrices.
Vector multiply(const Vector& a, const Vector& b, std::size_t order);

}  // namespace sotto
