#pragma once
#include <cstdint>
#include <functional>
#include <variant>

#include "sotto/losses/loss.h"
#include "sotto/optim/row_grid.h"
#include "sotto/privacy/sampled_gaussian.h"
#include "sotto/work/heavy_ball.h"
#include "sotto/work/run.h"

/// Noised sums over Poisson batches through the curator, and steps on public weights.
namespace sotto {

/// The public numbers of a sampled run.
struct SampledRun {
  std::uint64_t rows = 0;      ///< m of the formulas
  std::uint64_t capacity = 0;  ///< the most rows a table may have
  std::uint64_t batch_rows = 0;
  std::uint64_t steps = 0;
  double rate = 1;
  double clip = 0;     ///< bound on a row's gradient
  double clip_at = 0;  ///< what RowGradients clips to; infinity where the loss keeps the bound by itself
  RowGrid grid{};      ///< of the gradients in a sum
  std::size_t weights = 0;
};

/// The size of step t = 1, 2, ...
struct ConstantPace {
  double step_size = 0;
  double operator()(double) const noexcept { return step_size; }
};
/// 1/(lambda t).
struct InversePace {
  double lambda = 0;
  double operator()(double t) const noexcept { return 1 / (lambda * t); }
};
/// width/(length sqrt t).
struct RootPace {
  double width = 0;
  double length = 1;
  double operator()(double t) const noexcept;
};
using Pace = std::variant<ConstantPace, InversePace, RootPace>;

struct SampledWork {
  SampledRun shape{};
  Loss loss{};
  SampledGaussian law{};
  HeavyBall steps{};
  Pace pace{};

  Outcome run(const Run& run) const;
};

/// Moves public weights by the mean noised gradient of step t = 1, 2, ...
using PublicStep = std::function<void(std::uint64_t t, const Vector& mean_gradient, Vector& weights)>;
/// All steps of a work, from zero weights, by a rule of the caller's; returns the last ones.
Vector descend(const SampledWork& work, const Run& run, const PublicStep& step);

}  // namespace sotto
