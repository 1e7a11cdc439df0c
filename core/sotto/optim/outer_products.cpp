// What: sums of x x', as vectors to be noised.
// Formula: a row adds f (x) x x', of Frobenius norm |f| |x|^2 <= X^2. The inner product of two rows' terms is
//   (f.g) (x.y)^2 >= 0, so the square of their distance is at most the sum of both squares, 2 X^4.
// Conditions: |f| <= 1, f.g >= 0, rows of norm at most X.
// Reference: docs/notes/whitening.md, docs/notes/intervals.md.
// Fails if wrong: SecondMoments.*, ScoreMoments.* (neighbours within the bound, a pair that attains it)
#include "sotto/optim/outer_products.h"

#include <algorithm>

#include "sotto/linalg/kernels.h"
#include "sotto/linalg/rounded.h"

namespace sotto {
namespace {

constexpr double kRootOfTwo = 1.4142135623730951;

}  // namespace

void copy_row(const RowBlock& block, std::size_t i, std::span<double> row) noexcept {
  if (!block.sparse()) {
    const float* from = block.dense + i * row.size();
    std::copy(from, from + row.size(), row.begin());
    return;
  }
  std::fill(row.begin(), row.end(), 0.0);
  for (std::uint64_t e = block.offsets[i]; e < block.offsets[i + 1]; ++e) row[block.columns[e]] = block.values[e];
}

void add_outer(double factor, std::span<const double> row, std::int64_t* triangle) noexcept {
  for (std::size_t k = 0; k < row.size(); triangle += ++k) {
    if (row[k] == 0) continue;
    const double times = factor * row[k];
    kernels::add_rounded(kRootOfTwo * times, row.data(), triangle, k);
    triangle[k] += kernels::rounded(times * row[k]);
  }
}

Vector unpack_triangle(std::span<const double> packed, std::size_t features, double scale) {
  Vector matrix(features * features);
  std::size_t at = 0;
  for (std::size_t i = 0; i < features; ++i) {
    for (std::size_t k = 0; k <= i; ++k) {
      const double entry = packed[at++] / (scale * (i == k ? 1.0 : kRootOfTwo));
      matrix[i * features + k] = matrix[k * features + i] = entry;
    }
  }
  return matrix;
}

// The last factor covers the few roundings of a row's products.
double outer_distance(double data_norm, bool replaced) noexcept {
  return data_norm * data_norm * (replaced ? kRootOfTwo : 1.0) * (1 + 0x1p-40);
}

}  // namespace sotto
