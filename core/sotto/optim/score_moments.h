#pragma once
#include <memory>
#include <span>

#include "sotto/base/sensitive.h"
#include "sotto/data/facts.h"
#include "sotto/linalg/vector.h"
#include "sotto/optim/outer_products.h"
#include "sotto/optim/vector_sum.h"

namespace sotto {

/// Two sums of matrices over the rows at one point, for two classes and the logistic loss: H of s (1 - s) x x', the
/// Hessian, and J of s^2 x x', the second moment of the rows' gradients, with s in [0, 1] minus the slope at the row's
/// margin. They leave as one vector, those of outer_products.h for sqrt(8) H and for J, which moves by at most
/// outer_distance() and what the grid adds.
class ScoreMoments final : public VectorSum<ScoreMoments> {
 public:
  static constexpr double kCurvatureScale = 2.8284271247461903;  ///< sqrt(8)

  /// `grid` is one for vectors of norm outer_distance() of a row added.
  ScoreMoments(const Facts& facts, const RowGrid& grid);
  static std::size_t packed_size(std::size_t features) noexcept { return 2 * triangle_size(features); }

  /// Starts new sums at these weights, which must stay while rows are consumed.
  void start(std::span<const double> weights) noexcept;
  /// What was summed since start(), still secret.
  Sensitive<Vector> take() const { return Sensitive<Vector>(sum_.values()); }

 private:
  friend class VectorSum<ScoreMoments>;
  void add(const RowBlock& block, std::int64_t* lanes) noexcept;

  std::size_t features_;
  const double* weights_ = nullptr;
  AlignedVector row_;
};

/// The two matrices of a vector of that form, full.
struct MomentPair {
  Vector curvature;
  Vector scores;
};
MomentPair unpack_moments(const Vector& packed, std::size_t features);

}  // namespace sotto
