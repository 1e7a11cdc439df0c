#pragma once
#include <cstddef>
#include <memory>

#include "sotto/base/sensitive.h"
#include "sotto/data/facts.h"
#include "sotto/linalg/vector.h"
#include "sotto/optim/outer_products.h"
#include "sotto/optim/vector_sum.h"

namespace sotto {

/// The sum of x x' over the rows. It leaves as the vector of outer_products.h, which moves by at most outer_distance().
class SecondMoments final : public VectorSum<SecondMoments> {
 public:
  explicit SecondMoments(const Facts& facts);
  static std::size_t packed_size(std::size_t features) noexcept { return triangle_size(features); }

  /// What was summed, still secret.
  Sensitive<Vector> take() const;

  void consume(const RowBlock& block) noexcept override;

 private:
  std::size_t features_;
  AlignedVector row_;
};

}  // namespace sotto
