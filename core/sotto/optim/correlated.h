#pragma once
#include <cstdint>
#include <vector>

#include "sotto/base/sensitive.h"
#include "sotto/data/facts.h"
#include "sotto/data/row_block.h"
#include "sotto/linalg/vector.h"
#include "sotto/optim/psgd.h"
#include "sotto/optim/row_gradients.h"

namespace sotto {

/// The first `count` Taylor coefficients of (1 - x)^(-1/2): 1, 1/2, 3/8, ...; all positive, decreasing.
std::vector<double> inverse_root_coefficients(std::uint64_t count);
/// The first `count` Taylor coefficients of (1 - x)^(1/2): 1, -1/2, -1/8, ...; the inverse of the above as a series.
std::vector<double> root_coefficients(std::uint64_t count);

/// |sum_j C[:, 1 + j n]|, C the lower-triangular Toeplitz matrix of (1 - x)^(-1/2) with T = passes * n rows: by how
/// much C times the sums of a run moves, at most, when a row that is met once a pass moves its sums by 1; rounded up.
double participation_norm(std::uint64_t steps_per_pass, std::uint64_t passes);

/// SGD on batches in scan order whose noise is correlated over steps. The batch sums G are mixed to C G (secret); the
/// hook noises each row of it; the gradient estimate of step t is row t of C^-1 applied to what was noised, so it and
/// the weights are post-processing. Batches and passes end by count.
class CorrelatedDescent final : public RowConsumer {
 public:
  struct Options {
    Loss loss{};
    double lambda = 0;
    double step_size = 0;
    double radius = 0;
    std::uint64_t batch_rows = 1;
    std::uint64_t steps = 0;  ///< of all passes
  };
  /// `noise` must outlive the aggregate.
  CorrelatedDescent(const Options& options, const Facts& facts, StepNoise& noise);

  void consume(const RowBlock& block) noexcept override;
  std::uint64_t steps_done() const noexcept { return step_; }
  Sensitive<Vector> finish() &&;

 private:
  void end_batch() noexcept;
  /// out = sum_k coefficients[k] * row (step_ - k) of history.
  void mix(const std::vector<double>& coefficients, const AlignedVector& history, double* out) const noexcept;

  Options options_;
  Facts facts_;
  StepNoise& noise_;
  RowGradients gradients_;
  std::size_t size_;
  std::vector<double> forward_, backward_;
  AlignedVector sums_, noised_;  // one row a step
  AlignedVector weights_, estimate_;
  std::uint64_t step_ = 0;
  std::uint64_t rows_in_batch_ = 0;
  std::uint64_t rows_in_pass_ = 0;
};

}  // namespace sotto
