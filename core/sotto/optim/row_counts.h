#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

#include "sotto/base/sensitive.h"
#include "sotto/data/facts.h"
#include "sotto/linalg/vector.h"
#include "sotto/losses/loss.h"
#include "sotto/optim/row_sum.h"

/// Whole numbers counted over rows: exact below 2^53, whatever the order.
namespace sotto {

/// Counts of several kinds, of which a row adds to each at most one.
class RowCounts : public RowSum {
 public:
  Sensitive<Vector> take() const { return Sensitive<Vector>(counts_); }
  void clear() noexcept override { std::fill(counts_.begin(), counts_.end(), 0.0); }
  void merge(const RowSum& other) noexcept override {
    const Vector& more = static_cast<const RowCounts&>(other).counts_;
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += more[i];
  }

 protected:
  Vector counts_;
};

/// The class of a label: those of two classes are +1 and -1, of more 0, 1, ...
std::size_t class_of(float label, std::size_t classes) noexcept;

/// How many rows each class has; a zero row, which stands for no row or an unusable one, counts for none. One row more
/// changes one count by 1, a row replaced two.
class ClassCounts final : public RowCounts {
 public:
  explicit ClassCounts(const Facts& facts) { counts_.assign(facts.classes, 0.0); }
  void consume(const RowBlock& block) noexcept override;
  std::unique_ptr<RowSum> empty_copy() const override;
};

/// How many rows each of several points gets wrong, in one scan. A row changes each count by at most 1.
class ErrorCounts final : public RowCounts {
 public:
  ErrorCounts(const Loss& loss, const Facts& facts);
  /// Starts new counts at these points, weight vectors one after the other, which must stay while rows are consumed.
  void start(std::span<const double> points);
  void consume(const RowBlock& block) noexcept override;
  std::unique_ptr<RowSum> empty_copy() const override;

 private:
  /// The scores of so many weight vectors.
  void score(const RowBlock& rows, const double* weights, std::size_t vectors) noexcept;
  double wrong(const RowBlock& rows, const double* scores) const noexcept;

  std::size_t features_;
  std::size_t outputs_;
  std::size_t together_;  // points whose scores are taken at once
  std::span<const double> points_;
  Vector scores_;  // output k of row i at [k * kChunkRows + i]
};

}  // namespace sotto
