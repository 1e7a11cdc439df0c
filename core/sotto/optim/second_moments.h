#pragma once
#include <cstddef>
#include <memory>

#include "sotto/base/sensitive.h"
#include "sotto/data/facts.h"
#include "sotto/linalg/vector.h"
#include "sotto/optim/outer_products.h"
#include "sotto/optim/vector_sum.h"

namespace sotto {

/// The sum of x x' over the rows, as the vector of outer_products.h, which moves by at most outer_distance() and what the
/// grid adds.
class SecondMoments final : public VectorSum<SecondMoments> {
 public:
  /// `grid` is one for vectors of norm outer_distance() of a row added.
  SecondMoments(const Facts& facts, const RowGrid& grid);
  static std::size_t packed_size(std::size_t features) noexcept { return triangle_size(features); }

  /// What was summed, still secret.
  Sensitive<Vector> take() const { return Sensitive<Vector>(sum_.values()); }

 private:
  friend class VectorSum<SecondMoments>;
  void add(const RowBlock& block, std::int64_t* lanes) noexcept;

  std::size_t features_;
  AlignedVector row_;
};

}  // namespace sotto
