#include "sotto/optim/curvature_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sotto/linalg/kernels.h"
#include "sotto/linalg/rounded.h"
#include "sotto/optim/recipe.h"

namespace sotto {
namespace {

constexpr std::size_t kTile = 4;

/// Bound on the curvature in a score.
double steepest_curvature(const Loss& loss, const Facts& facts) {
  const double norm = stored_norm(facts);
  return std::max(1.0, constants_of(loss, norm, facts.classes).smoothness / (norm * norm));
}

/// The derivative of the slope by a central difference, so that a loss need not have one.
template <class L>
double curvature_at(const L& loss, double margin) noexcept {
  constexpr double kStep = 1e-4;
  return std::max(0.0, (loss.slope(margin + kStep) - loss.slope(margin - kStep)) / (2 * kStep));
}

}  // namespace

CurvatureSum::CurvatureSum(const Loss& loss, const Facts& facts, double sample)
    : loss_(loss),
      features_(facts.features),
      outputs_(outputs_of(loss, facts.classes)),
      stride_((features_ + kTile - 1) / kTile * kTile),
      share_(std::min(1.0, sample / static_cast<double>(std::max<std::uint64_t>(1, facts.rows)))),
      steepest_(steepest_curvature(loss, facts)),
      grid_(narrow_grid(steepest_ * stored_norm(facts) * stored_norm(facts) / share_, facts.rows)),
      rows_(kChunk * stride_, 0.0),
      scores_(outputs_, 0.0),
      sum_(features_ * features_, 0) {}

void CurvatureSum::start(std::span<const double> weights) noexcept {
  weights_ = weights.data();
  clear();
}

// Multiples of the golden ratio, modulo 1, fill [0, 1) evenly: rows that come in turns are chosen in equal shares.
bool CurvatureSum::chosen() noexcept {
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;
  return static_cast<double>(kGolden * place_++) * 0x1p-64 < share_;
}

void CurvatureSum::consume(const RowBlock& block) noexcept {
  for (std::size_t i = 0; i < block.rows; ++i) {
    if (!chosen()) continue;
    double* row = rows_.data() + filled_ * stride_;
    if (block.sparse()) {
      std::fill(row, row + features_, 0.0);
      for (std::uint64_t e = block.offsets[i]; e < block.offsets[i + 1]; ++e) row[block.columns[e]] = block.values[e];
    } else {
      const float* from = block.dense + i * features_;
      std::copy(from, from + features_, row);
    }
    if (!weigh(block.labels[i], row)) continue;
    if (++filled_ < kChunk) continue;
    accumulate(sum_);
    filled_ = 0;
  }
}

/// False for a row that is not curved here, which adds nothing.
bool CurvatureSum::weigh(float label, double* row) noexcept {
  for (std::size_t k = 0; k < outputs_; ++k) scores_[k] = kernels::dot(row, weights_ + k * features_, features_);
  double sum = 0;
  std::visit(
      [&]<class L>(const L& loss) {
        if constexpr (ClassLoss<L>) {
          loss.slopes(scores_.data(), outputs_, 0, scores_.data());
          scores_[0] += 1;
          for (const double p : scores_) sum += p * (1 - p);
        } else {
          for (std::size_t k = 0; k < outputs_; ++k) {
            const bool positive = outputs_ == 1 ? label > 0 : label == static_cast<float>(k);
            sum += std::min(steepest_, curvature_at(loss, positive ? scores_[k] : -scores_[k]));
          }
        }
      },
      loss_);
  if (!(sum > 0)) return false;
  kernels::scale(std::sqrt(sum / (static_cast<double>(outputs_) * share_) * grid_.scale()), row, features_);
  return true;
}

// Tiles of 4 x 4 sums stay in registers while the chunk goes by.
void CurvatureSum::accumulate(std::vector<std::int64_t>& sum) const noexcept {
  for (std::size_t j = 0; j < stride_; j += kTile) {
    for (std::size_t k = 0; k <= j; k += kTile) {
      std::uint64_t tile[kTile][kTile] = {};
      for (std::size_t i = 0; i < filled_; ++i) {
        const double* a = rows_.data() + i * stride_ + j;
        const double* b = rows_.data() + i * stride_ + k;
        for (std::size_t r = 0; r < kTile; ++r) {
          for (std::size_t c = 0; c < kTile; ++c)
            tile[r][c] += std::bit_cast<std::uint64_t>(a[r] * b[c] + kernels::kShift);
        }
      }
      for (std::size_t r = 0; r < kTile && j + r < features_; ++r) {
        for (std::size_t c = 0; c < kTile && k + c < features_; ++c) {
          sum[(j + r) * features_ + k + c] += static_cast<std::int64_t>(tile[r][c] - filled_ * kernels::kShiftBits);
        }
      }
    }
  }
}

AlignedVector CurvatureSum::lower_triangle() const {
  std::vector<std::int64_t> all = sum_;
  accumulate(all);
  AlignedVector triangle(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) triangle[i] = grid_.step * static_cast<double>(all[i]);
  return triangle;
}

std::unique_ptr<RowSum> CurvatureSum::empty_copy() const {
  auto copy = std::make_unique<CurvatureSum>(*this);
  copy->clear();
  return copy;
}

void CurvatureSum::clear() noexcept {
  filled_ = 0;
  place_ = 0;
  std::fill(sum_.begin(), sum_.end(), 0);
}

void CurvatureSum::merge(const RowSum& other) noexcept {
  const auto& part = static_cast<const CurvatureSum&>(other);
  for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += part.sum_[i];
  part.accumulate(sum_);
}

}  // namespace sotto
