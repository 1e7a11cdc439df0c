#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "sotto/data/facts.h"
#include "sotto/losses/loss.h"
#include "sotto/optim/row_grid.h"
#include "sotto/optim/secret_descent.h"
#include "sotto/privacy/joint_gaussian.h"
#include "sotto/privacy/mechanism.h"
#include "sotto/work/heavy_ball.h"
#include "sotto/work/run.h"

/// Noisy gradient descent over all rows, or over fixed batches in turn.
namespace sotto {

/// The numbers a descent is made of, all public.
struct DescentShape {
  std::uint64_t rows = 0;      ///< m of the formulas
  std::uint64_t capacity = 0;  ///< the most rows a table may have
  std::uint64_t batch_rows = 0;
  std::uint64_t batches = 1;  ///< steps a pass
  std::uint32_t passes = 0;
  double step_size = 0;
  double clip = 0;  ///< of a row's gradient; infinite: the loss's own bound is smaller
  RowGrid grid{};   ///< of the gradients in a sum
  std::size_t weights = 0;
  std::uint64_t steps() const noexcept { return batches * passes; }
};

/// D of gradients that are clipped to this norm.
double clipped_diameter(const LossConstants& constants, double clip, Relation relation);

/// The noise of gradient sums that may all leave.
struct GradientNoise {
  Mechanism largest{};  ///< of a sum at any weights
  Loss loss{};
  double clip = 0;
  Relation relation = Relation::replace_one;
  double margin_rounding = 0;  ///< of a margin, relative to |w| X, where it is more than constants_at() covers

  /// That of a sum at these weights, which are public: the event is the same, the sensitivity that of gradients at
  /// weights of their norm (docs/notes/diameter.md).
  Mechanism at(std::span<const double> weights, const Facts& facts) const;
};

/// Which weights are released: the last, or the mean of the last half of them.
enum class DescentAverage { last, tail };
constexpr auto enum_names(DescentAverage) {
  return std::array{std::pair{std::string_view("last"), DescentAverage::last},
                    std::pair{std::string_view("tail"), DescentAverage::tail}};
}

/// Every noised sum may leave: what follows it is post-processing.
struct DescentWork {
  DescentShape shape{};
  GradientNoise noise{};
  HeavyBall steps{};
  DescentAverage averaging = DescentAverage::last;

  Outcome run(const Run& run) const;
};

/// Noise on the weights of every step, which stay secret to the end: the last ones alone leave.
struct HiddenDescentWork {
  DescentShape shape{};
  Loss loss{};
  DescentStep step{};
  JointGaussian law{};

  Outcome run(const Run& run) const;
};

}  // namespace sotto
