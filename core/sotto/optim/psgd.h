#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sotto/base/sensitive.h"
#include "sotto/data/facts.h"
#include "sotto/data/row_block.h"
#include "sotto/linalg/kernels.h"
#include "sotto/linalg/vector.h"
#include "sotto/optim/recipe.h"
#include "sotto/optim/row_gradients.h"

namespace sotto {

/// The step-noise hook: what a plan that noises every batch sum does to it before the step is taken.
class StepNoise {
 public:
  virtual ~StepNoise() = default;
  virtual void perturb(std::span<double> batch_sum) noexcept = 0;
  /// weights = decay * weights - size * (the noised batch_sum); a hook that can do both in one sweep overrides it.
  virtual void step(double decay, double size, std::span<double> batch_sum, std::span<double> weights) noexcept;
  /// The same for a batch of one row, whose sum is coefficient * row.
  virtual void step_row(double decay, double size, const kernels::RowTerm& row, std::span<double> weights) noexcept;

 private:
  AlignedVector sum_;  // for a step_row() made of step()
};

/// Permutation SGD as an aggregate: rows are pushed in scan order in blocks of any size, pass after pass; batches
/// and passes end by count, so the result depends on the order of the rows and never on how they were blocked.
/// Blocks are dense or sparse as the facts say; others are ignored. It has no merge: order matters. After construction
/// nothing allocates and nothing fails.
class Psgd final : public RowConsumer {
 public:
  /// `noise`, if given, must outlive the aggregate.
  Psgd(const Recipe& recipe, const Facts& facts, StepNoise* noise = nullptr);

  void consume(const RowBlock& block) noexcept override;
  /// Steps taken so far; public, since it depends on counts alone.
  std::uint64_t steps_done() const noexcept { return step_; }
  /// The released combination of iterates, still secret. Call once, after the last pass.
  Sensitive<Vector> finish() &&;

 private:
  void consume_several(const RowBlock& block) noexcept;
  void add_dense(const RowBlock& part) noexcept;
  void add_sparse(const RowBlock& part) noexcept;
  void touch(const std::uint32_t* columns, std::size_t count) noexcept;
  void step_each_row(const RowBlock& rows) noexcept;
  void step_each_sparse_row(const RowBlock& rows) noexcept;
  void step_each_row_noised(const RowBlock& rows) noexcept;
  void slopes_to_coefficients(const RowBlock& part) noexcept;
  void end_batch() noexcept;
  void step_sparse(double decay, double step) noexcept;
  void after_step(double eta) noexcept;
  bool steps_everywhere() const noexcept;
  void decay_scale(double decay) noexcept;
  void fold_scale() noexcept;

  static constexpr std::size_t kChunkRows = 256;

  Recipe recipe_;
  Facts facts_;
  std::optional<RowGradients> several_;  // gradients of models with several outputs
  double lipschitz_;
  std::uint64_t total_steps_;
  StepNoise* noise_;

  // The iterate is scale_ * weights_; the scale differs from 1 only for sparse rows, whose steps touch few weights.
  AlignedVector weights_;
  double scale_ = 1;
  AlignedVector low_;  // the second numbers of the weights, if they are pairs
  AlignedVector batch_sum_;
  AlignedVector average_;
  AlignedVector average_low_;
  bool follows_iterates_;  // something is to be done after every step
  AlignedVector margins_;
  std::vector<std::uint32_t> touched_;  // columns of batch_sum_ that may be non-zero (sparse, no noise)
  std::size_t touched_count_ = 0;
  std::vector<std::uint8_t> is_touched_;
  std::uint64_t entries_in_batch_ = 0;

  std::uint64_t step_ = 0;
  std::uint64_t rows_in_batch_ = 0;
  std::uint64_t rows_in_pass_ = 0;
  double norm_bound_ = 0;  // on the computed iterate: its rounding is in norm_slack_
  double norm_slack_ = 1;
};

}  // namespace sotto
