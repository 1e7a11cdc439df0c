// What: noisy gradient descent: plan and run, full scans or cyclic batches, by composition or hidden state.
// Formula: spec 7.5. Composition: every sum through the curator, everything after it is post-processing (momentum,
//   average, projection, regulariser). The noise of a sum follows its sensitivity at the public weights it is taken at,
//   the event stays (docs/notes/diameter.md). Hidden state: noise on the weights of every step, which stay secret to
//   the end.
// Conditions: hidden state: lambda > 0, constant contracting step, no momentum, no average, only the last weights
//   leave.
// Reference: [Dong22, Corollary 3.3]; [Bok24]; [Polyak64] for heavy-ball momentum.
// Fails if wrong: Dpgd.*, Game.Dpgd*, Methods.*
#include "sotto/methods/dpgd.h"

#include <algorithm>
#include <utility>

#include "sotto/base/fields.h"
#include "sotto/linalg/kernels.h"
#include "sotto/methods/curated_noise.h"
#include "sotto/methods/dpgd_shape.h"
#include "sotto/methods/row_count.h"

namespace sotto {
namespace {

/// Public weights from noised sums: heavy ball, projection, average.
class PublicDescent {
 public:
  PublicDescent(const Dpgd& options, const DpgdShape& shape, double lambda)
      : options_(options), shape_(shape), lambda_(lambda) {
    weights_.assign(shape.weights, 0.0);
    velocity_ = average_ = weights_;
  }
  const Vector& weights() const noexcept { return weights_; }
  void step(const Vector& noised_sum) {
    const double divisor = static_cast<double>(shape_.batch_rows);
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      velocity_[i] = options_.momentum * velocity_[i] + (noised_sum[i] / divisor + lambda_ * weights_[i]);
      weights_[i] -= shape_.step_size * velocity_[i];
    }
    const double norm = kernels::norm(weights_.data(), weights_.size());
    if (options_.radius > 0 && norm > options_.radius) {
      kernels::scale(options_.radius / norm, weights_.data(), weights_.size());
    }
    if (2 * ++done_ > shape_.steps()) {
      const std::uint64_t averaged = shape_.steps() - shape_.steps() / 2;
      kernels::axpy(1 / static_cast<double>(averaged), weights_.data(), average_.data(), weights_.size());
    }
  }
  Vector released() && {
    switch (options_.averaging) {
      case DescentAverage::last: break;
      case DescentAverage::tail: return std::move(average_);
    }
    return std::move(weights_);
  }

 private:
  const Dpgd& options_;
  const DpgdShape& shape_;
  double lambda_;
  std::uint64_t done_ = 0;
  Vector weights_, velocity_, average_;
};

/// The positions of batch `batch`.
std::pair<std::uint64_t, std::uint64_t> rows_of(const DpgdShape& shape, std::uint64_t batch) {
  const std::uint64_t first = batch * shape.batch_rows;
  return {first, std::min(shape.batch_rows, shape.rows - first)};
}

Vector run_composition(const Dpgd& options, const DpgdShape& shape, const Run& run) {
  const Calibrated noise = dpgd_composition(options, shape, run.input);
  PublicDescent descent(options, shape, run.input.problem.lambda);
  GradientSum sum(run.input.problem.loss, run.input.facts, shape.clip);
  for (std::uint64_t step = 0; step < shape.steps(); ++step) {
    sum.start(descent.weights());
    if (shape.batches == 1) {
      sum_rows(run.engine, sum);
    } else {
      const auto [first, count] = rows_of(shape, step % shape.batches);
      run.engine.scan_rows(first, count, sum);
    }
    descent.step(run.curator.release(sum.take(), dpgd_noise_at(descent.weights(), noise, shape, run.input)));
    run.progress(static_cast<double>(step + 1) / static_cast<double>(shape.steps()));
  }
  return std::move(descent).released();
}

Vector run_hidden(const HiddenPlan& plan, const DpgdShape& shape, const Run& run) {
  CuratedVectors noise(run.curator.joint_noise(plan.noise.law()));
  SecretDescent descent(run.input.problem.loss, run.input.facts, plan.step, &noise);
  for (std::uint64_t step = 0; step < shape.steps(); ++step) {
    if (shape.batches == 1) {
      descent.step_all(run.engine);
    } else {
      const auto [first, count] = rows_of(shape, step % shape.batches);
      descent.step_rows(run.engine, first, count);
    }
    run.progress(static_cast<double>(step + 1) / static_cast<double>(shape.steps()));
  }
  return run.curator.release_post_processed(std::move(descent).finish(), noise.sums());
}

}  // namespace

Plan Dpgd::plan(const PlanInput& input) const {
  const DpgdShape shape = dpgd_shape(*this, input);
  const std::optional<HiddenPlan> hidden = dpgd_chosen(*this, shape, input);
  Plan plan;
  plan.method = kName;
  if (hidden) {
    plan.noise = hidden->noise.planned;
    plan.charges = {hidden->noise.charge()};
  } else {
    const Calibrated sums = dpgd_composition(*this, shape, input);
    plan.noise = sums;
    plan.charges = {sums.charge()};
  }
  plan.noise_at = hidden ? NoiseAt::each_step : shape.batches == 1 ? NoiseAt::each_scan : NoiseAt::each_batch;
  plan.weighted_share = hidden ? hidden->hit / base_of(plan.noise->mechanism).grid.sensitivity
                               : dpgd_weighted_share(*plan.noise, shape, input);
  plan.l2_sensitivity = base_of(plan.noise->mechanism).sensitivity;
  plan.guarantee = {plan.noise->epsilon, plan.noise->delta, input.budget.relation, "one row",
                    hidden ? "final weights" : "all iterates"};
  plan.remarks.push_back(std::to_string(shape.passes) + " passes of " + std::to_string(shape.batches) +
                         " step(s) of size " + number_text(shape.step_size));
  if (hidden) {
    plan.theorem = "spec 7.5, hidden state; [Bok24]";
    plan.remarks.push_back("hidden-state bound: steps contract by " + number_text(hidden->contraction) +
                           "; l2_sensitivity is that of the whole run, weights are kept within radius " +
                           number_text(hidden->step.projection.radius));
  } else {
    plan.theorem = "spec 7.5, composition of every noised sum; [Dong22, Corollary 3.3]";
    if (is_gentler_at_small_weights(input.problem.loss)) {
      plan.remarks.emplace_back(
          "the noise named here is the largest; a sum at small weights, which are public, has a smaller sensitivity "
          "and "
          "less noise at the same cost");
    }
  }
  state_capacity(plan, input, shape.capacity);
  return plan;
}

Vector Dpgd::run(const Run& run) const {
  const DpgdShape shape = dpgd_shape(*this, run.input);
  const std::optional<HiddenPlan> hidden = dpgd_chosen(*this, shape, run.input);
  return hidden ? run_hidden(*hidden, shape, run) : run_composition(*this, shape, run);
}

}  // namespace sotto
