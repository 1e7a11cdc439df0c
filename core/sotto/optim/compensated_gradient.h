#pragma once
#include <memory>
#include <span>

#include "sotto/optim/perturbed_sum.h"
#include "sotto/optim/row_gradients.h"
#include "sotto/optim/row_sum.h"

namespace sotto {

/// The sum of the rows' data gradients, whose rounding does not grow with the number of rows beyond kPlainRows: so many
/// are added plainly, their sums with the error of each addition kept. Only the minimiser reads it.
class CompensatedGradient final : public RowSum {
 public:
  CompensatedGradient(const Loss& loss, const Facts& facts);

  /// Starts a new sum at these weights, which must stay while rows are consumed.
  void start(std::span<const double> weights) noexcept;

  void consume(const RowBlock& block) noexcept override;
  std::unique_ptr<RowSum> empty_copy() const override;
  void clear() noexcept override;
  void merge(const RowSum& other) noexcept override;

 private:
  friend class Minimiser;
  void total(std::span<double> out) const noexcept;
  void flush() noexcept;

  RowGradients gradients_;
  const double* weights_ = nullptr;
  std::uint64_t plain_rows_ = 0;  // in plain_
  AlignedVector plain_;
  AlignedVector high_;
  AlignedVector low_;
};

}  // namespace sotto
