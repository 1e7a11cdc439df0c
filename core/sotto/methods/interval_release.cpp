// What: the plan of the second moments behind confidence intervals.
// Formula: weights get (1 - share) of epsilon and of delta, the moments the rest; the two compose by their sums. The
//   moments at the released weights have sensitivity sqrt2 X^2 (replace_one) or X^2 (add_remove), plus what
//   the grid adds (spec 5.5).
// Conditions: logistic, two classes; the weights are released first, so the moments are taken at a public point.
// Reference: [Dwork14, Theorem 3.16] for the sums; docs/notes/intervals.md.
// Fails if wrong: Intervals.TheTwoReleasesAddUpToTheBudget, ScoreMoments.*, Intervals.*Cover*
#include "sotto/methods/interval_release.h"

#include <fmt/format.h>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/base/rounded_text.h"
#include "sotto/optim/score_moments.h"
#include "sotto/privacy/rounded_sum.h"

namespace sotto {
namespace {

void refuse_without_derivation(const PlanInput& input) {
  if (!has_logistic_slope(input.problem.loss) || input.facts.classes != 2) {
    const auto has = [](auto tag) { return decltype(tag)::type::kLogisticSlope; };
    throw Error(ErrorKind::unsupported,
                "intervals: are derived for the loss " + loss_names(has) + " and two classes only", "intervals");
  }
  require(input.facts.features <= kMaxIntervalFeatures, "intervals",
          "are for at most " + std::to_string(kMaxIntervalFeatures) +
              " features: the noise of the moments grows with their number");
}

}  // namespace

// The parts add up to the whole exactly: the larger is at least half of it.
PlanInput without_share(const PlanInput& input, double share) {
  require(share >= 0 && share <= kMaxIntervalShare, "intervals",
          "got " + number_text(share) + ", must lie between 0 and " + number_text(kMaxIntervalShare));
  if (share == 0) return input;
  PlanInput main = input;
  main.budget.epsilon = input.budget.epsilon * (1 - share);
  main.budget.delta = input.budget.delta * (1 - share);
  return main;
}

void add_intervals(Plan& plan, const PlanInput& input, const CertifiedSum& sum, IntervalPlan main) {
  refuse_without_derivation(input);
  const PlanInput rest = without_share(input, main.share);
  const Budget part{input.budget.epsilon - rest.budget.epsilon, input.budget.delta - rest.budget.delta,
                    input.budget.relation};
  const double norm = stored_norm(input.facts);
  const bool replaced = input.budget.relation == Relation::replace_one;
  const std::size_t numbers = ScoreMoments::packed_size(input.facts.features);
  main.curvature = sum.curvature;
  main.grid = narrow_grid(outer_distance(norm, false), sum.bound.rows);
  const double distance = outer_distance(norm, replaced) + added_distance(main.grid, numbers, replaced);
  main.moments = calibrate(MechanismChoice::automatic, {distance, numbers, 1, 1}, part);
  plan.distance = plan.distance.value_or(plan.noise->distance) + main.moments.distance;
  plan.charges.push_back(main.moments.charge());
  plan.guarantee.epsilon = sum_up(plan.guarantee.epsilon, main.moments.epsilon);
  plan.guarantee.delta = sum_up(plan.guarantee.delta, main.moments.delta);
  plan.guarantee.released += " and second moments for intervals";
  plan.remarks.push_back(fmt::format(
      "intervals: second moments at the released weights, {} noise of standard deviation {:.3g} an entry, at {} of "
      "the guarantee; they cover sampling and privacy noise, not the bias of lambda",
      std::visit([](const auto& m) { return m.kName; }, main.moments.mechanism),
      std::visit([](const auto& m) { return m.stddev(); }, main.moments.mechanism),
      guarantee_text(main.moments.epsilon, main.moments.delta)));
  plan.work.intervals = main;
}

}  // namespace sotto
