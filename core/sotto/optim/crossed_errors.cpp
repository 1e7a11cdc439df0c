// What: error counts of children of a few parents, from the parents' scores.
// Formula: weights lie output after output, so a child's score is s_k(head) at the outputs before the cut, s_k(tail) at
//   those behind, (h - t) + s_k(tail) at the one that holds it, with h and t the parents' sums up to the cut; the moved
//   weight j adds move * x_j to its output. Predicted: the largest score, the first of equals; one output: 1 if above
//   0.
// Conditions: parents, cuts and moves are public. A row is compared on its own, so it changes each count by at most 1.
// Reference: [Zhang13, Algorithm 4] makes the children.
// Fails if wrong: CrossedErrors.* (against ErrorCounts of the children's weights, where sums are exact)
#include "sotto/optim/crossed_errors.h"

#include <algorithm>
#include <numeric>

#include "sotto/linalg/crossings.h"

namespace sotto {

using kernels::kTileRows;

Vector crossed_weights(std::span<const double> parents, std::size_t dimension, const Crossing& crossing) {
  const std::span<const double> head = parents.subspan(crossing.head * dimension, dimension);
  const std::span<const double> tail = parents.subspan(crossing.tail * dimension, dimension);
  Vector weights(tail.begin(), tail.end());
  std::copy_n(head.begin(), crossing.cut, weights.begin());
  weights[crossing.moved] += crossing.move;
  return weights;
}

CrossedErrors::CrossedErrors(const Loss& loss, const Facts& facts)
    : features_(facts.features), outputs_(outputs_of(loss, facts.classes)), tile_(features_), row_classes_(kTileRows) {}

void CrossedErrors::start(std::span<const double> parents, std::span<const Crossing> crossings) {
  parents_ = parents.size() / (outputs_ * features_);
  transpose(parents);
  order_.resize(crossings.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::size_t a, std::size_t b) { return crossings[a].cut < crossings[b].cut; });
  children_.clear();
  slots_.clear();
  places_.clear();
  for (const std::size_t i : order_) add(crossings[i]);
  by_column_.resize(crossings.size());
  std::iota(by_column_.begin(), by_column_.end(), 0U);
  std::stable_sort(by_column_.begin(), by_column_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return places_[a].cut_column < places_[b].cut_column; });
  cuts_.assign(crossings.size(), 0);
  moved_.assign(crossings.size(), 0);
  right_.assign(crossings.size(), 0);
  lanes_.assign((kernels::kParentSlot + outputs_ * parents_ + crossings.size()) * kTileRows, 0.0);
  counts_.assign(crossings.size(), 0.0);
}

/// The weights that meet one value of a row next to each other.
void CrossedErrors::transpose(std::span<const double> parents) {
  weights_.resize(parents.size());
  const std::size_t dimension = outputs_ * features_;
  for (std::size_t i = 0; i < dimension; ++i) {
    for (std::size_t p = 0; p < parents_; ++p) weights_[i * parents_ + p] = parents[p * dimension + i];
  }
}

void CrossedErrors::add(const Crossing& crossing) {
  const std::size_t output = crossing.cut / features_, moved_output = crossing.moved / features_;
  const auto slot_at = [&](std::size_t k) {
    if (k == output) return kernels::kMixedSlot;
    return static_cast<std::uint32_t>(kernels::kParentSlot + k * parents_ +
                                      (k < output ? crossing.head : crossing.tail));
  };
  kernels::Child child{};
  child.output = static_cast<std::uint32_t>(output);
  child.head = static_cast<std::uint32_t>(crossing.head);
  child.tail = static_cast<std::uint32_t>(crossing.tail);
  child.unmoved = slot_at(moved_output);
  child.whole = output == outputs_
                    ? child.unmoved
                    : static_cast<std::uint32_t>(kernels::kParentSlot + output * parents_ + crossing.tail);
  child.move = crossing.move;
  children_.push_back(child);
  places_.push_back(
      {static_cast<std::uint32_t>(crossing.cut % features_), static_cast<std::uint32_t>(crossing.moved % features_)});
  for (std::size_t k = 0; k < outputs_; ++k) slots_.push_back(k == moved_output ? kernels::kMovedSlot : slot_at(k));
}

void CrossedErrors::consume(const RowBlock& block) noexcept {
  std::fill(right_.begin(), right_.end(), 0U);
  for (std::size_t done = 0; done < block.rows; done += kTileRows) {
    count(block.slice(done, std::min(kTileRows, block.rows - done)));
  }
  for (std::size_t i = 0; i < order_.size(); ++i) {
    counts_[order_[i]] += static_cast<double>(block.rows) - right_[i];
  }
}

/// At most kTileRows rows.
void CrossedErrors::count(const RowBlock& rows) noexcept {
  tile_.fill(rows);
  for (std::size_t i = 0; i < kTileRows; ++i) {
    row_classes_[i] =
        i < rows.rows ? static_cast<double>(class_of(rows.labels[i], std::max<std::size_t>(2, outputs_))) : -1;
  }
  const std::span<const std::uint32_t> columns = tile_.columns();
  std::uint32_t before = 0;
  for (const std::uint32_t child : by_column_) {
    while (before < columns.size() && columns[before] < places_[child].cut_column) ++before;
    cuts_[child] = before;
  }
  for (std::size_t i = 0; i < places_.size(); ++i) moved_[i] = tile_.slot(places_[i].moved_column);
  const kernels::Children children{features_,        outputs_,         parents_,     weights_.data(),
                                   children_.data(), children_.size(), slots_.data()};
  kernels::count_right(
      children, {columns.data(), columns.size(), tile_.values(), row_classes_.data(), cuts_.data(), moved_.data()},
      lanes_.data(), right_.data());
}

std::unique_ptr<RowSum> CrossedErrors::empty_copy() const {
  auto copy = std::make_unique<CrossedErrors>(*this);
  copy->clear();
  return copy;
}

}  // namespace sotto
