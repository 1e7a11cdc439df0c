// Random reduction of the features by a public key (spec 2.1: before the clip).
//   gaussian:         out = G x, G of k x d independent entries N(0, 1/k), so that E |G x|^2 = |x|^2
//                     (Johnson-Lindenstrauss); the intercept is projected with the rest.
//   choose_features:  k of the d features uniformly without replacement, kept in order; the intercept stays.
// The map is drawn without seeing rows: row-wise public preprocessing, free of budget (spec 8). The clip afterwards
// restores the norm bound, which a projection alone does not keep.
// Tests: data_encoder_test.cpp, "AGaussianProjectionKeepsSquaredLengthOnAverage" and
// "ChosenFeaturesAreTheSameForTheSameKey"; data_clip_test.cpp for the norm after projection.
#include "sotto/data/projection.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sotto/base/error.h"
#include "sotto/linalg/kernels.h"
#include "sotto/random/bit_source.h"
#include "sotto/random/samplers.h"

namespace sotto {
namespace {
constexpr std::uint32_t kDropped = 0xffffffff;
}

Projection::Projection(const Reduction& reduction, std::uint32_t features, bool keep_last)
    : input_features_(features), output_features_(features) {
  if (const auto* gaussian = std::get_if<GaussianProjection>(&reduction)) {
    draw_matrix(*gaussian, features);
  } else if (const auto* choice = std::get_if<ChooseFeatures>(&reduction)) {
    draw_choice(*choice, features, keep_last);
  }
}

void Projection::draw_matrix(const GaussianProjection& gaussian, std::uint32_t features) {
  const std::uint64_t entries = std::uint64_t{gaussian.dimensions} * features;
  require(entries <= kMaxEntries, "dimensions",
          "a gaussian projection of " + std::to_string(features) + " features to " +
              std::to_string(gaussian.dimensions) + " has more than 2^27 entries");
  output_features_ = gaussian.dimensions;
  matrix_.resize(entries);
  BitSource bits{ReproducibleSeed{gaussian.key}};
  draw_normal(bits, matrix_);
  const double scale = 1.0 / std::sqrt(static_cast<double>(gaussian.dimensions));
  for (double& entry : matrix_) entry *= scale;
}

void Projection::draw_choice(const ChooseFeatures& choice, std::uint32_t features, bool keep_last) {
  const std::uint32_t candidates = keep_last ? features - 1 : features;
  require(choice.dimensions <= candidates, "dimensions",
          "cannot choose " + std::to_string(choice.dimensions) + " of " + std::to_string(candidates) + " features");
  std::vector<std::uint32_t> order(candidates);
  std::iota(order.begin(), order.end(), 0U);
  BitSource bits{ReproducibleSeed{choice.key}};
  for (std::uint32_t i = 0; i < choice.dimensions; ++i) {
    std::swap(order[i], order[i + draw_below(bits, candidates - i)]);
  }
  chosen_.assign(order.begin(), order.begin() + choice.dimensions);
  std::ranges::sort(chosen_);
  if (keep_last) chosen_.push_back(features - 1);
  output_features_ = static_cast<std::uint32_t>(chosen_.size());
  renumber_.assign(features, kDropped);
  for (std::uint32_t i = 0; i < output_features_; ++i) renumber_[chosen_[i]] = i;
}

void Projection::choose(std::vector<std::uint32_t>& columns, std::vector<double>& values) const {
  if (chosen_.empty()) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::uint32_t output = renumber_[columns[i]];
    if (output == kDropped) continue;
    columns[kept] = output;
    values[kept++] = values[i];
  }
  columns.resize(kept);
  values.resize(kept);
}

void Projection::mix(std::span<const std::uint32_t> columns, std::span<const double> values,
                     std::span<double> out) const noexcept {
  std::ranges::fill(out, 0.0);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    kernels::axpy(values[i], matrix_.data() + std::size_t{columns[i]} * output_features_, out.data(), out.size());
  }
}

Vector Projection::transposed(std::span<const double> weights) const {
  Vector result(input_features_);
  for (std::size_t j = 0; j < result.size(); ++j) {
    result[j] = kernels::dot(matrix_.data() + j * output_features_, weights.data(), output_features_);
  }
  return result;
}

}  // namespace sotto
