// What: the second moments of the rows, as one vector to be noised.
// Formula: a row adds x x', of Frobenius norm |x|^2 <= X^2. Two rows: |x x' - y y'|^2 = |x|^4 + |y|^4 - 2 (x.y)^2, at
//   most 2 X^4.
// Conditions: rows of norm at most X.
// Reference: docs/notes/whitening.md.
// Fails if wrong: SecondMoments.* (neighbours within the bound, a pair that attains it, sums against the definition)
#include "sotto/optim/second_moments.h"

namespace sotto {

SecondMoments::SecondMoments(const Facts& facts, const RowGrid& grid)
    : VectorSum(packed_size(facts.features), grid), features_(facts.features), row_(features_, 0.0) {}

void SecondMoments::add(const RowBlock& block, std::int64_t* lanes) noexcept {
  for (std::size_t i = 0; i < block.rows; ++i) {
    copy_row(block, i, row_);
    add_outer(sum_.grid().scale(), row_, lanes);
  }
}

}  // namespace sotto
