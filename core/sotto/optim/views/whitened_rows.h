#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sotto/base/sensitive.h"
#include "sotto/optim/row_gradients.h"
#include "sotto/optim/vector_sum.h"
#include "sotto/optim/views/row_view.h"

/// Rows seen through a public linear map T, and scaled so that their images have at most a declared norm.
namespace sotto {

/// The map, public; full, features x features. Weights of several outputs lie one after the other.
struct Whitening {
  std::size_t features = 0;
  Vector matrix;

  double frobenius() const noexcept;
  /// T v, for each output's part of v.
  Vector times(const Vector& v) const;
  /// T s, for each output's part of the sum s, with twice the digits of binary64 and rounded at the end: off by at most
  /// 2^-53 |T s| + kProductRounding |T| |s|, |T| the Frobenius norm.
  Vector times(const IntegerSum& s) const;
  static constexpr double kProductRounding = 0x1p-80;  ///< for at most kMostFeatures
  static constexpr std::size_t kMostFeatures = 2048;
  /// T' v: what scores a row x as v scores T x.
  Vector transposed_times(const Vector& v) const;
};

/// Another engine's rows, each times the largest factor up to 1 for which its image under T has at most norm
/// facts().data_norm. The factors are as secret as the rows; they are computed in one scan and kept, 4 bytes a row.
class WhitenedRows final : public RowView {
 public:
  /// `rows` must outlive it. Throws what the engine throws.
  WhitenedRows(const Engine& rows, const Whitening& whitening);

  void scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const override;

 private:
  std::vector<float> factors_;
};

/// The sum over the rows of T times the data gradient at one point: the gradient for the images of the rows. A row's
/// slope is clipped as if its image had the declared norm.
class WhitenedGradient final : public VectorSum<WhitenedGradient> {
 public:
  /// `grid` is a fine one for the gradients of the rows themselves, before the map.
  WhitenedGradient(const Loss& loss, const Facts& facts, const RowGrid& grid, double clip, const Whitening& whitening);

  /// Starts a new sum at these weights for the rows themselves, which must stay while rows are consumed.
  void start(std::span<const double> weights) noexcept;
  /// What was summed since start(), still secret.
  Sensitive<Vector> take() const { return Sensitive<Vector>(whitening_->times(sum_)); }

 private:
  friend class VectorSum<WhitenedGradient>;
  void add(const RowBlock& block, std::int64_t* lanes) noexcept {
    gradients_.add(block, weights_, sum_.grid().scale(), lanes);
  }

  RowGradients gradients_;
  const Whitening* whitening_;
  const double* weights_ = nullptr;
};

}  // namespace sotto
