#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/data/facts.h"
#include "sotto/methods/interval_plan.h"
#include "sotto/methods/sgd_options.h"
#include "sotto/optim/recipe.h"
#include "sotto/privacy/curator.h"
#include "sotto/privacy/mechanism.h"

namespace sotto {

/// Where the noise of a plan goes.
enum class NoiseAt { nowhere, release, each_batch, each_scan, each_step, objective, choice };
constexpr std::string_view describe(NoiseAt place) {
  switch (place) {
    case NoiseAt::nowhere: return "nothing";
    case NoiseAt::release: return "the released weights";
    case NoiseAt::each_batch: return "every batch sum";
    case NoiseAt::each_scan: return "every sum over the rows";
    case NoiseAt::each_step: return "the weights of every step";
    case NoiseAt::objective: return "the objective";
    case NoiseAt::choice: return "every choice";
  }
  return "";
}

/// What the positions of one personal epsilon are promised (methods/personal.h).
struct PersonalClass {
  double epsilon = 0;
  double delta = 0;
  std::uint64_t positions = 0;
  float weight = 1;  ///< on the gradients of the rows there
};

/// A plan is a value: what will happen to the rows, how much noise is added where, what it costs and by which
/// theorem. It is a function of public facts and a budget; its making reads no row.
struct Plan {
  std::string method;
  Recipe recipe;  ///< of permutation SGD; a solver that runs itself has its own
  RowOrder order = RowOrder::fixed;
  NoiseAt noise_at = NoiseAt::nowhere;
  std::optional<PlannedNoise> noise;  ///< the main noise, for the card
  std::vector<Charge> charges;        ///< everything the run costs, the main noise included
  /// Of all the noise from its ideal laws, in total variation. Nothing: that of the main noise, if it is all there is.
  std::optional<double> distance;
  double l2_sensitivity = 0;  ///< of what is noised: the released weights, or one batch sum
  /// The share of the sensitivity the noise is calibrated to that shrinks with a weight on one row's gradient, whatever
  /// the weight; the rest pays for rounding. 0: no proof that row weights scale what a row may reveal.
  double weighted_share = 0;
  std::vector<PersonalClass> personal;    ///< by epsilon, descending; empty: all have the guarantee
  std::optional<IntervalPlan> intervals;  ///< a second release, for confidence intervals
  Guarantee guarantee;
  std::string theorem;
  std::vector<std::string> not_private;  ///< reasons, empty for a private plan
  std::vector<std::string> remarks;      ///< what a reader of the card should know
};

/// What a plan costs a ledger. Throws Error{unsupported} if it has several noises and does not say how far they are
/// from their ideal laws.
PlannedCost planned_cost(const Plan& plan);

/// Everything a plan may depend on.
struct PlanInput {
  Facts facts{};
  Problem problem{};
  Budget budget{};
  bool personal = false;  ///< rows have epsilons of their own, which only methods with weighted sums can keep
};

}  // namespace sotto
