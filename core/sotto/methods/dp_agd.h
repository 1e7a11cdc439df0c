#pragma once
#include <cstdint>
#include <string_view>
#include <tuple>

#include "sotto/methods/plan.h"
#include "sotto/methods/run.h"

namespace sotto {

/// Gradient descent that decides as it goes how much to spend on each gradient (spec 7.6). Each iteration releases a
/// noisy gradient sum and draws a step length by the loss; "no step" buys a better gradient. It runs until its
/// allowance, the whole budget, is used up.
struct DpAgd {
  static constexpr std::string_view kName = "dp_agd";
  static constexpr std::string_view kSummary = "descent with noisy gradients and chosen steps, budget spent as it goes";
  static constexpr std::string_view kReference = "[Lee18, Algorithm 2], corrected";
  std::uint32_t splits = 60;
  double budget_growth = 0.1;
  std::uint32_t step_candidates = 20;
  double largest_step = 2.0;
  std::uint32_t refresh_every = 10;
  double refresh_growth = 1.1;
  double step_shrink = 1.0;
  double gradient_clip = 3.0;
  double loss_clip = 3.0;
  std::uint64_t declared_rows = 0;

  static constexpr auto fields() {
    return std::tuple{
        field("splits", &DpAgd::splits, "the first iterations spend 1 / (2 splits) of epsilon on a choice"),
        field("budget_growth", &DpAgd::budget_growth, "share by which a gradient's budget grows after \"no step\""),
        field("step_candidates", &DpAgd::step_candidates, "step lengths to choose from, besides \"no step\""),
        field("largest_step", &DpAgd::largest_step, "the longest step at the start, in units of the weights"),
        field("refresh_every", &DpAgd::refresh_every, "iterations after which the longest step is set anew"),
        field("refresh_growth", &DpAgd::refresh_growth, "the new longest step over the longest taken since"),
        field("step_shrink", &DpAgd::step_shrink, "the longest step is multiplied by this after \"no step\""),
        field("gradient_clip", &DpAgd::gradient_clip, "a row's gradient is cut to this norm, or to the loss's bound"),
        field("loss_clip", &DpAgd::loss_clip, "a row's loss is cut to this in the choice of a step"),
        field("declared_rows", &DpAgd::declared_rows, "add_remove: a public number of rows to stand for the private")};
  }

  Plan plan(const PlanInput& input) const;
  Vector run(const Run& run) const;
};

/// The public numbers of a run of dp_agd.
struct AgdTerms {
  Event whole;                 ///< ZcdpEvent, or PureEvent where delta is 0: what is charged and may be spent
  double gradient_share = 0;   ///< rho (pure: epsilon) of the first gradient
  double choice_epsilon = 0;   ///< of every choice
  double clip = 0;             ///< of a row's gradient
  double sensitivity = 0;      ///< of the gradient sum as computed
  double lipschitz = 0;        ///< of a row's data loss
  double rows = 0;             ///< the public number of rows
  double score_error = 0;      ///< rounding of one loss sum
  double relation_factor = 1;  ///< 2 under replace_one: two rows' losses change
  std::size_t dimension = 0;
  double outputs = 1;  ///< losses that a row's is the sum of, or scores it is one of

  bool pure() const noexcept { return std::holds_alternative<PureEvent>(whole); }
  /// The noise of a gradient sum at this share of the budget.
  Mechanism gradient_noise(double share) const;
  /// How far one row can move the gaps between the losses of points at most `reach` from `weights_norm` (spec 7.6).
  double choice_range(double reach, double weights_norm, double loss_clip) const;
};
AgdTerms agd_terms(const DpAgd& method, const PlanInput& input);

/// Whether the noise can be drawn exactly on its grid.
bool can_draw(const Mechanism& mechanism);

}  // namespace sotto
