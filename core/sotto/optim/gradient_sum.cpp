#include "sotto/optim/gradient_sum.h"

#include <algorithm>

#include "sotto/linalg/kernels.h"

namespace sotto {

GradientSum::GradientSum(const Loss& loss, const Facts& facts, double clip)
    : VectorSum(weight_count(loss, facts)), gradients_(loss, facts, clip) {}

void GradientSum::start(std::span<const double> weights) noexcept {
  weights_ = weights.data();
  clear();
}

void GradientSum::consume(const RowBlock& block) noexcept { gradients_.add(block, weights_, sum_.data()); }

LossSums::LossSums(const Loss& loss, const Facts& facts, double cap)
    : gradients_(loss, facts), cap_(cap), scores_(gradients_.line_scores()) {}

void LossSums::start(const WeightLine& line) {
  line_ = line;
  sums_.assign(line.lengths.size(), 0.0);
}

void LossSums::consume(const RowBlock& block) noexcept {
  gradients_.add_values_along(block, line_, cap_, scores_, sums_.data());
}

std::unique_ptr<RowSum> LossSums::empty_copy() const {
  auto copy = std::make_unique<LossSums>(*this);
  copy->clear();
  return copy;
}

void LossSums::clear() noexcept { std::fill(sums_.begin(), sums_.end(), 0.0); }

void LossSums::merge(const RowSum& other) noexcept {
  const Vector& sums = static_cast<const LossSums&>(other).sums_;
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += sums[i];
}

// n additions in a row of vectors of norm at most `bound` are off by at most n u (n bound) (1 + tiny); products add one
// rounding each. Sums in parts have fewer additions on any path, so this covers them.
double sum_rounding(std::uint64_t rows, double bound) noexcept {
  const double part = static_cast<double>(rows_in_part(rows)) + static_cast<double>(kSumParts) + 4;
  const double longest = std::min(part, static_cast<double>(rows) + 4);
  return 2 * 0x1p-53 * longest * static_cast<double>(rows) * bound;
}
double chain_rounding(double rows, double bound) noexcept { return 2 * 0x1p-53 * (rows + 4) * rows * bound; }

}  // namespace sotto
