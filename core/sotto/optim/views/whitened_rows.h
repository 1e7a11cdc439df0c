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
  WhitenedGradient(const Loss& loss, const Facts& facts, double clip, const Whitening& whitening);

  /// Starts a new sum at these weights for the rows themselves, which must stay while rows are consumed.
  void start(std::span<const double> weights) noexcept;
  /// What was summed since start(), still secret.
  Sensitive<Vector> take() const;

  void consume(const RowBlock& block) noexcept override;

 private:
  RowGradients gradients_;
  const Whitening* whitening_;
  const double* weights_ = nullptr;
};

}  // namespace sotto
