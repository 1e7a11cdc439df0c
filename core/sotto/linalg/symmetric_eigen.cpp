#include "sotto/linalg/symmetric_eigen.h"

#include <algorithm>
#include <cmath>

#include "sotto/linalg/kernels.h"

namespace sotto {
namespace {

constexpr int kMaxSweeps = 30;

double off_diagonal(const Vector& a, std::size_t n) noexcept {
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) squares += a[i * n + j] * a[i * n + j];
  }
  return std::sqrt(2 * squares);
}

void rotate(double* p, double* q, std::size_t stride, std::size_t n, double c, double s) noexcept {
  for (std::size_t k = 0; k < n; ++k, p += stride, q += stride) {
    const double x = *p, y = *q;
    *p = c * x - s * y;
    *q = s * x + c * y;
  }
}

/// Makes a[p][q] zero.
void annihilate(Vector& a, Vector& vectors, std::size_t n, std::size_t p, std::size_t q) noexcept {
  const double apq = a[p * n + q];
  if (apq == 0) return;
  const double theta = (a[q * n + q] - a[p * n + p]) / (2 * apq);
  const double t = (theta >= 0 ? 1 : -1) / (std::fabs(theta) + std::hypot(theta, 1.0));
  const double c = 1 / std::hypot(t, 1.0), s = t * c;
  rotate(a.data() + p, a.data() + q, n, n, c, s);
  rotate(a.data() + p * n, a.data() + q * n, 1, n, c, s);
  rotate(vectors.data() + p * n, vectors.data() + q * n, 1, n, c, s);
}

}  // namespace

SymmetricEigen symmetric_eigen(Vector matrix, std::size_t order) {
  SymmetricEigen eigen{order, Vector(order), Vector(order * order, 0.0)};
  for (std::size_t i = 0; i < order; ++i) eigen.vectors[i * order + i] = 1;
  const double enough = 1e-14 * kernels::norm(matrix.data(), matrix.size());
  for (int sweep = 0; sweep < kMaxSweeps && off_diagonal(matrix, order) > enough; ++sweep) {
    for (std::size_t p = 0; p < order; ++p) {
      for (std::size_t q = p + 1; q < order; ++q) annihilate(matrix, eigen.vectors, order, p, q);
    }
  }
  for (std::size_t i = 0; i < order; ++i) eigen.values[i] = matrix[i * order + i];
  return eigen;
}

Vector recombine(const SymmetricEigen& eigen, const Vector& values) {
  const std::size_t n = eigen.order;
  Vector matrix(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double* v = eigen.vectors.data() + i * n;
    for (std::size_t j = 0; j < n; ++j) kernels::axpy(values[i] * v[j], v, matrix.data() + j * n, n);
  }
  return matrix;
}

Vector multiply(const Vector& a, const Vector& b, std::size_t order) {
  Vector product(order * order, 0.0);
  for (std::size_t i = 0; i < order; ++i) {
    for (std::size_t k = 0; k < order; ++k) {
      kernels::axpy(a[i * order + k], b.data() + k * order, product.data() + i * order, order);
    }
  }
  return product;
}

}  // namespace sotto
