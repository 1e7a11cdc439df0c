#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/base/fields.h"
#include "sotto/data/facts.h"
#include "sotto/methods/problem.h"
#include "sotto/privacy/curator.h"
#include "sotto/privacy/mechanism.h"
#include "sotto/work/work.h"

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

/// What a plan says of itself: what the card prints and the ledger charges.
struct Statement {
  std::string method;
  std::vector<std::pair<std::string, std::string>> parameters;  ///< of what runs, every field in its one spelling
  NoiseAt noise_at = NoiseAt::nowhere;
  std::optional<PlannedNoise> noise;  ///< the main noise, for the card
  std::vector<Charge> charges;        ///< everything the run costs, the main noise included
  /// Of all the noise from its ideal laws, in total variation. Nothing: that of the main noise, if it is all there is.
  std::optional<double> distance;
  double l2_sensitivity = 0;  ///< of what is noised: the released weights, or one batch sum
  /// The share of the sensitivity the noise is calibrated to that shrinks with a weight on one row's gradient, whatever
  /// the weight; the rest pays for rounding. 0: no proof that row weights scale what a row may reveal.
  double weighted_share = 0;
  std::vector<PersonalClass> personal;  ///< by epsilon, descending; empty: all have the guarantee
  Guarantee guarantee;
  std::string theorem;
  std::vector<std::string> not_private;  ///< reasons, empty for a private plan
  std::vector<std::string> remarks;      ///< what a reader of the card should know
};

/// A plan is a value: a statement, and the work the statement is true of. It is a function of public facts and a
/// budget; its making reads no row. The work is the only thing that runs.
struct Plan : Statement {
  Work work;
};

/// What a plan costs a ledger. Throws Error{unsupported} if it has several noises and does not say how far they are
/// from their ideal laws.
PlannedCost planned_cost(const Statement& plan);

/// Everything a plan may depend on.
struct PlanInput {
  Facts facts{};
  Problem problem{};
  Budget budget{};
  bool personal = false;  ///< rows have epsilons of their own, which only methods with weighted sums can keep
};

/// A plan for exactly these rows, with nothing in it but the relation.
Plan plan_for(const PlanInput& input);

template <class T>
void add_parameters(Statement& plan, const T& object) {
  for_each_field_deep(object, [&](std::string_view name, const auto& value, std::string_view) {
    plan.parameters.emplace_back(std::string(name), value_text(value));
  });
}

/// What every plan begins with: rows, relation, the method's name, its parameters and those of what it minimises.
template <class M>
Plan start_plan(const M& method, const PlanInput& input) {
  Plan plan = plan_for(input);
  plan.method = M::kName;
  add_parameters(plan, input.problem);
  add_parameters(plan, method);
  return plan;
}

}  // namespace sotto
