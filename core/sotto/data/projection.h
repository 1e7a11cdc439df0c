#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sotto/data/schema.h"
#include "sotto/linalg/vector.h"

namespace sotto {

/// A declared reduction of the features, drawn from its public key: the same key gives the same map everywhere.
class Projection {
 public:
  /// The most entries a matrix may have.
  static constexpr std::uint64_t kMaxEntries = std::uint64_t{1} << 27;

  /// `features` before the reduction; `keep_last` when the last of them is the intercept.
  Projection(const Reduction& reduction, std::uint32_t features, bool keep_last);

  std::uint32_t input_features() const noexcept { return input_features_; }
  std::uint32_t output_features() const noexcept { return output_features_; }
  /// True when every output depends on every input: rows come out dense.
  bool mixes() const noexcept { return !matrix_.empty(); }

  /// Not mixing: keeps the entries of chosen features and renumbers them, in place; columns ascend before and after.
  void choose(std::vector<std::uint32_t>& columns, std::vector<double>& values) const;
  /// Mixing: `out` (output_features() long) = matrix times the sparse row.
  void mix(std::span<const std::uint32_t> columns, std::span<const double> values,
           std::span<double> out) const noexcept;
  /// Mixing: the transposed matrix times a vector of output_features(), whose product with a row is the product of that
  /// vector with the row's image.
  Vector transposed(std::span<const double> weights) const;
  /// Not mixing: the input feature behind an output feature.
  std::uint32_t source_of(std::uint32_t output) const noexcept { return chosen_.empty() ? output : chosen_[output]; }

 private:
  void draw_matrix(const GaussianProjection& gaussian, std::uint32_t features);
  void draw_choice(const ChooseFeatures& choice, std::uint32_t features, bool keep_last);

  std::uint32_t input_features_ = 0;
  std::uint32_t output_features_ = 0;
  std::vector<double> matrix_;           // feature-major: the outputs of one input feature lie together
  std::vector<std::uint32_t> chosen_;    // ascending
  std::vector<std::uint32_t> renumber_;  // input feature to output feature, kDropped if not chosen
};

}  // namespace sotto
