#include "sotto/optim/gradient_sum.h"

#include <algorithm>

#include "sotto/optim/recipe.h"

namespace sotto {

double gradient_bound(const Loss& loss, const Facts& facts, double clip) {
  return std::min(clip, constants_of(loss, stored_norm(facts), facts.classes).lipschitz);
}

RowGrid fine_gradients(const Loss& loss, const Facts& facts, double clip) {
  return fine_grid(gradient_bound(loss, facts, clip));
}

GradientSum::GradientSum(const Loss& loss, const Facts& facts, const RowGrid& grid, double clip)
    : VectorSum(weight_count(loss, facts), grid), gradients_(loss, facts, clip) {}

void GradientSum::start(std::span<const double> weights) noexcept {
  weights_ = weights.data();
  clear();
}

LossSums::LossSums(const Loss& loss, const Facts& facts, const RowGrid& grid)
    : gradients_(loss, facts), scores_(gradients_.line_scores()), sums_(0, grid) {}

void LossSums::start(const WeightLine& line) {
  line_ = line;
  sums_ = IntegerSum(line.lengths.size(), sums_.grid());
}

void LossSums::consume(const RowBlock& block) noexcept {
  for (std::uint64_t done = 0; done < block.rows;) {
    std::uint64_t rows = block.rows - done;
    std::int64_t* lanes = sums_.lanes_for(rows);
    gradients_.add_values_along(block.slice(done, rows), line_, {scores_, sums_.grid()}, lanes);
    done += rows;
  }
}

std::unique_ptr<RowSum> LossSums::empty_copy() const {
  auto copy = std::make_unique<LossSums>(*this);
  copy->clear();
  return copy;
}

}  // namespace sotto
