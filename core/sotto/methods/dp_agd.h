#pragma once
#include <cstdint>
#include <string_view>
#include <tuple>

#include "sotto/methods/plan.h"

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
};

/// The public numbers of a run of dp_agd. Throws Error naming what is out of range.
AdaptiveTerms agd_terms(const DpAgd& method, const PlanInput& input);

}  // namespace sotto
