#pragma once
#include <cstddef>
#include <cstdint>

#include "sotto/losses/loss.h"
#include "sotto/optim/row_grid.h"
#include "sotto/privacy/event.h"
#include "sotto/privacy/mechanism.h"
#include "sotto/work/run.h"

namespace sotto {

/// What draws of an adaptive descent cost and how far one row can move them.
struct AdaptiveTerms {
  Event whole;                 ///< ZcdpEvent, or PureEvent where delta is 0: what is charged and may be spent
  double gradient_share = 0;   ///< rho (pure: epsilon) of the first gradient
  double choice_epsilon = 0;   ///< of every choice
  double clip = 0;             ///< of a row's gradient
  double sensitivity = 0;      ///< of the gradient sum as computed
  double lipschitz = 0;        ///< of a row's data loss
  double rows = 0;             ///< the public number of rows
  double score_error = 0;      ///< what one row's loss is rounded by, at most
  RowGrid gradients{};         ///< grid of the rows' gradients,
  RowGrid losses{};            ///< and of their losses
  double relation_factor = 1;  ///< 2 under replace_one: two rows' losses change
  std::size_t dimension = 0;
  double outputs = 1;  ///< losses that a row's is the sum of, or scores it is one of

  bool pure() const noexcept { return std::holds_alternative<PureEvent>(whole); }
  /// The noise of a gradient sum at this share of the budget.
  Mechanism gradient_noise(double share) const;
  /// How far one row can move the gaps between the losses of points at most `reach` from `weights_norm` (spec 7.6).
  double choice_range(double reach, double weights_norm, double loss_clip) const;
};

/// Whether the noise can be drawn exactly on its grid.
bool can_draw(const Mechanism& mechanism);

/// Descent that decides as it goes how much to spend on each gradient, until its allowance is used up.
struct AdaptiveWork {
  AdaptiveTerms terms{};
  Loss loss{};
  double lambda = 0;
  double budget_growth = 0;
  std::uint32_t step_candidates = 0;
  double largest_step = 0;
  std::uint32_t refresh_every = 0;
  double refresh_growth = 0;
  double step_shrink = 0;
  double loss_clip = 0;

  Outcome run(const Run& run) const;
};

}  // namespace sotto
