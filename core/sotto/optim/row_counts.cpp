#include "sotto/optim/row_counts.h"

#include <algorithm>

#include "sotto/linalg/kernels.h"

namespace sotto {
namespace {

constexpr std::size_t kChunkRows = 256;
constexpr std::size_t kVectors = 64;  // weight vectors for which a row is searched for zeros once

bool is_zero_row(const RowBlock& rows, std::size_t i) noexcept {
  const float* first = rows.sparse() ? rows.values + rows.offsets[i] : rows.dense + i * rows.features;
  const float* last = rows.sparse() ? rows.values + rows.offsets[i + 1] : first + rows.features;
  return std::all_of(first, last, [](float v) { return v == 0; });
}

}  // namespace

std::size_t class_of(float label, std::size_t classes) noexcept {
  if (classes == 2) return label > 0 ? 1 : 0;
  return label > 0 ? std::min(static_cast<std::size_t>(label), classes - 1) : 0;
}

void ClassCounts::consume(const RowBlock& block) noexcept {
  for (std::size_t i = 0; i < block.rows; ++i) {
    if (!is_zero_row(block, i)) ++counts_[class_of(block.labels[i], counts_.size())];
  }
}

std::unique_ptr<RowSum> ClassCounts::empty_copy() const {
  auto copy = std::make_unique<ClassCounts>(*this);
  copy->clear();
  return copy;
}

ErrorCounts::ErrorCounts(const Loss& loss, const Facts& facts)
    : features_(facts.features),
      outputs_(outputs_of(loss, facts.classes)),
      together_(std::max<std::size_t>(1, kVectors / outputs_)),
      scores_(together_ * outputs_ * kChunkRows, 0.0) {}

void ErrorCounts::start(std::span<const double> points) {
  points_ = points;
  counts_.assign(points.size() / (outputs_ * features_), 0.0);
}

void ErrorCounts::score(const RowBlock& rows, const double* weights, std::size_t vectors) noexcept {
  if (!rows.sparse() && vectors == 1) {
    kernels::dots(rows.dense, rows.rows, features_, weights, scores_.data());
    return;
  }
  if (!rows.sparse()) {
    kernels::dots_of_outputs({rows.dense, rows.rows, features_}, weights, vectors, scores_.data(), kChunkRows);
    return;
  }
  for (std::size_t k = 0; k < vectors; ++k) {
    double* out = scores_.data() + k * kChunkRows;
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const std::uint64_t first = rows.offsets[i];
      out[i] =
          kernels::dot(rows.columns + first, rows.values + first, rows.offsets[i + 1] - first, weights + k * features_);
    }
  }
}

double ErrorCounts::wrong(const RowBlock& rows, const double* scores) const noexcept {
  double errors = 0;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    std::size_t predicted = outputs_ == 1 && scores[i] > 0 ? 1 : 0;
    for (std::size_t k = 1; k < outputs_; ++k) {
      if (scores[k * kChunkRows + i] > scores[predicted * kChunkRows + i]) predicted = k;
    }
    errors += predicted != class_of(rows.labels[i], std::max<std::size_t>(2, outputs_));
  }
  return errors;
}

void ErrorCounts::consume(const RowBlock& block) noexcept {
  for (std::size_t done = 0; done < block.rows; done += kChunkRows) {
    const RowBlock part = block.slice(done, std::min(kChunkRows, block.rows - done));
    for (std::size_t first = 0; first < counts_.size(); first += together_) {
      const std::size_t count = std::min(together_, counts_.size() - first);
      score(part, points_.data() + first * outputs_ * features_, count * outputs_);
      for (std::size_t i = 0; i < count; ++i) {
        counts_[first + i] += wrong(part, scores_.data() + i * outputs_ * kChunkRows);
      }
    }
  }
}

std::unique_ptr<RowSum> ErrorCounts::empty_copy() const {
  auto copy = std::make_unique<ErrorCounts>(*this);
  copy->clear();
  return copy;
}

}  // namespace sotto
