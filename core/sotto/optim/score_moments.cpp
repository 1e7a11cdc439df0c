// What: the Hessian and the second moment of the gradients of a logistic model, as one vector to be noised.
// Formula: a row adds u (x) x x', u = (sqrt8 s (1 - s), s^2). |u|^2 = 8 s^2 (1 - s)^2 + s^4 has the derivative
//   4 s (2 - 3 s)^2 >= 0, so |u| <= 1 on [0, 1] and a row adds a vector of norm at most X^2. Two rows: the inner
//   product (u.u') (x.x')^2 is not negative, so their difference has norm at most sqrt2 X^2.
// Conditions: logistic, two classes, weights public; s is in [0, 1] as computed.
// Reference: docs/notes/intervals.md.
// Fails if wrong: ScoreMoments.* (neighbours within the bound, a pair that attains it, sums against definitions)
#include "sotto/optim/score_moments.h"

#include <algorithm>
#include <cmath>

#include "sotto/linalg/kernels.h"
#include "sotto/losses/logistic.h"

namespace sotto {

ScoreMoments::ScoreMoments(const Facts& facts, const RowGrid& grid)
    : VectorSum(packed_size(facts.features), grid), features_(facts.features), row_(features_, 0.0) {}

void ScoreMoments::start(std::span<const double> weights) noexcept {
  weights_ = weights.data();
  clear();
}

void ScoreMoments::add(const RowBlock& block, std::int64_t* lanes) noexcept {
  const double scale = sum_.grid().scale();
  for (std::size_t i = 0; i < block.rows; ++i) {
    copy_row(block, i, row_);
    const double margin = block.labels[i] * kernels::dot(row_.data(), weights_, features_);
    const double slope = Logistic{}.slope(margin);
    const double s = slope == slope ? std::clamp(-slope, 0.0, 1.0) : 0.0;
    add_outer(scale * (kCurvatureScale * s * (1 - s)), row_, lanes);
    add_outer(scale * (s * s), row_, lanes + triangle_size(features_));
  }
}

MomentPair unpack_moments(const Vector& packed, std::size_t features) {
  const std::span<const double> all(packed);
  return {unpack_triangle(all.first(triangle_size(features)), features, ScoreMoments::kCurvatureScale),
          unpack_triangle(all.last(triangle_size(features)), features)};
}

}  // namespace sotto
