// What: the plan of dp_agd: what its allowance is, and the sensitivities of what it releases.
// Formula: gradient sums of rows clipped to C: C (add_remove) or 2 C (replace_one); loss sums of points on a segment of
//   length a: one row's losses, cut to [0, C_obj], span at most min(C_obj, a L), so R is that, or twice that.
//   Both plus what the grid of the rows' gradients and losses adds (spec 5.5). Allowance: the rho whose optimal
//   conversion is (epsilon, delta), or epsilon. At the start a choice has rho = (epsilon / (2 splits))^2 / 2 and a
//   gradient (epsilon / (2 splits))^2 / (4 ln(1.25 / delta)), as published.
// Conditions: steps along a unit vector; m lambda public; every draw tested against the allowance before it is made.
// Reference: [Lee18], with the repairs of docs/notes/agd.md; [Canonne20] for the conversion.
// Fails if wrong: DpAgd.*, AgdNeighbours.*, Game.DpAgd*
#include "sotto/methods/dp_agd.h"

#include <algorithm>
#include <cmath>

#include "sotto/methods/row_count.h"
#include "sotto/optim/gradient_sum.h"
#include "sotto/privacy/gaussian.h"

namespace sotto {
namespace {

constexpr double kDown = 1 - 0x1p-48;

void check(const DpAgd& method) {
  require(method.splits > 0 && method.splits <= 100000, "splits", "must lie between 1 and 100000");
  require(method.budget_growth > 0 && method.budget_growth <= 10, "budget_growth", "must be above 0 and at most 10");
  require(method.step_candidates > 0 && method.step_candidates <= 1000, "step_candidates", "must lie in [1, 1000]");
  require(method.largest_step > 0 && method.largest_step <= 1e6, "largest_step", "must be above 0 and at most 1e6");
  require(method.refresh_every > 0, "refresh_every", "must be above 0");
  require(method.refresh_growth >= 1 && method.refresh_growth <= 10, "refresh_growth", "must lie in [1, 10]");
  require(method.step_shrink >= 0.1 && method.step_shrink <= 1, "step_shrink", "must lie in [0.1, 1]");
  require(method.gradient_clip > 0 && method.gradient_clip <= 1e6, "gradient_clip", "must be above 0 and at most 1e6");
  require(method.loss_clip > 0 && method.loss_clip <= 1e6, "loss_clip", "must be above 0 and at most 1e6");
}

void set_shares(AdaptiveTerms& terms, std::uint32_t splits, const Budget& budget) {
  const double part = 2.0 * splits;
  const double epsilon = budget.epsilon / part;
  if (budget.delta == 0) {
    terms.whole = PureEvent{budget.epsilon};
    terms.gradient_share = terms.choice_epsilon = epsilon * kDown;
    return;
  }
  // The part that is kept back covers the rounding of whoever adds this event to others.
  const double rho = zcdp_rho(budget.epsilon, budget.delta) * (1 - 1e-9);
  terms.whole = ZcdpEvent{rho};
  // At large epsilon the published shares, which are squares, would use up the budget in a few draws.
  terms.choice_epsilon = std::sqrt(8 * std::min(epsilon * epsilon / 2, rho / part)) * kDown;
  terms.gradient_share = std::min(epsilon * epsilon / (4 * std::log(1.25 / budget.delta)), rho / part) * kDown;
}

}  // namespace

AdaptiveTerms agd_terms(const DpAgd& method, const PlanInput& input) {
  check(method);
  input.problem.check();
  input.budget.check();
  require(input.facts.features > 0, "features", "must be above 0");
  require(input.facts.data_norm >= kMinDataNorm && input.facts.data_norm <= 1e6, "data_norm",
          "must lie between 1e-30 and 1e6");
  const RowCount rows = row_count(input, method.declared_rows);
  require(rows.nominal > 0, "rows", "must be above 0");
  AdaptiveTerms terms;
  terms.dimension = weight_count(input.problem.loss, input.facts);
  terms.outputs = outputs_of(input.problem.loss, input.facts.classes);
  terms.lipschitz = constants_of(input.problem.loss, stored_norm(input.facts), input.facts.classes).lipschitz;
  terms.clip = std::min(method.gradient_clip, terms.lipschitz);
  terms.relation_factor = input.budget.relation == Relation::replace_one ? 2 : 1;
  terms.gradients = narrow_grid(terms.clip, rows.capacity);
  terms.losses = narrow_grid(method.loss_clip, rows.capacity);
  terms.sensitivity = terms.relation_factor * terms.clip * (1 + 0x1p-40) +
                      added_distance(terms.gradients, terms.dimension, terms.relation_factor == 2);
  terms.score_error = added_distance(terms.losses, 1, true) / 2;  // the grid, and computed losses
  terms.rows = static_cast<double>(rows.nominal);
  set_shares(terms, method.splits, input.budget);
  Choice{1, terms.choice_epsilon, Aim::smallest, {0}}.check();
  require(can_draw(terms.gradient_noise(terms.gradient_share)), "epsilon",
          "the noise would be too large for its grid; raise epsilon or delta, or lower splits");
  return terms;
}

Plan DpAgd::plan(const PlanInput& input) const {
  const AdaptiveTerms terms = agd_terms(*this, input);
  Plan plan = start_plan(*this, input);
  plan.noise_at = NoiseAt::each_scan;
  plan.l2_sensitivity = terms.sensitivity;
  plan.charges = {Charge{terms.whole}};
  const double delta = composed_delta(plan.charges, input.budget.epsilon);
  plan.noise = PlannedNoise{terms.gradient_noise(terms.gradient_share), input.budget.epsilon, delta, 0, 0};
  plan.guarantee = {input.budget.epsilon, delta, input.budget.relation, "one row", "all iterates"};
  plan.theorem = "spec 7.6; [Lee18, Algorithm 2] corrected; one filter [Feldman21], choices by [Cesar21]";
  plan.remarks.emplace_back("the noise named here is that of the first gradient; later ones have less");
  state_capacity(plan, input, row_count(input, declared_rows).capacity);
  plan.remarks.emplace_back("the guarantee is the whole allowance, however much of it the run spent");
  plan.work.way = AdaptiveWork{.terms = terms,
                               .loss = input.problem.loss,
                               .lambda = input.problem.lambda,
                               .budget_growth = budget_growth,
                               .step_candidates = step_candidates,
                               .largest_step = largest_step,
                               .refresh_every = refresh_every,
                               .refresh_growth = refresh_growth,
                               .step_shrink = step_shrink,
                               .loss_clip = loss_clip};
  return plan;
}

}  // namespace sotto
