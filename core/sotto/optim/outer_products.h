#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "sotto/data/row_block.h"
#include "sotto/linalg/vector.h"

/// Sums of x x' over rows, kept as lower triangles, row by row, with off-diagonal entries times sqrt(2), so that the L2
/// norm of the vector is the Frobenius norm of the matrix.
namespace sotto {

inline std::size_t triangle_size(std::size_t features) noexcept { return features * (features + 1) / 2; }

/// Row i of a block, dense or sparse, as one contiguous row.
void copy_row(const RowBlock& block, std::size_t i, std::span<double> row) noexcept;
/// Adds factor x x' to such a triangle, every entry rounded to an integer.
void add_outer(double factor, std::span<const double> row, std::int64_t* triangle) noexcept;
/// The full matrix, divided by `scale`, of a vector that has left.
Vector unpack_triangle(std::span<const double> packed, std::size_t features, double scale = 1);

/// The most by which a sum of f x x' moves in that norm when one row is replaced, or is added, for |f| <= 1 (a vector
/// of factors whose inner products are not negative, if there are several) and rows of norm at most `data_norm`.
double outer_distance(double data_norm, bool replaced) noexcept;

}  // namespace sotto
