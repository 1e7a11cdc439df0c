#pragma once
#include <concepts>
#include <variant>

#include "sotto/methods/amp.h"
#include "sotto/methods/auto.h"
#include "sotto/methods/bolt_on.h"
#include "sotto/methods/bst14.h"
#include "sotto/methods/cms11.h"
#include "sotto/methods/correlated.h"
#include "sotto/methods/dp_agd.h"
#include "sotto/methods/dpgd.h"
#include "sotto/methods/dpsgd.h"
#include "sotto/methods/kst12.h"
#include "sotto/methods/lbfgs.h"
#include "sotto/methods/majority.h"
#include "sotto/methods/noiseless.h"
#include "sotto/methods/objective.h"
#include "sotto/methods/output.h"
#include "sotto/methods/priv_gene.h"
#include "sotto/methods/run.h"
#include "sotto/methods/scs13.h"
#include "sotto/methods/shard_average.h"
#include "sotto/methods/whitened_dpgd.h"

/// The list of methods. To add one: a header and source beside this file and a word in `Method`.
namespace sotto {

/// A method's fields are its parameters; it turns public facts and a budget into a plan. Its signature cannot see
/// data, so its calibration cannot depend on them.
template <class T>
concept Planner = requires(const T method, const PlanInput& input) {
  { T::kName } -> std::convertible_to<std::string_view>;
  { T::kReference } -> std::convertible_to<std::string_view>;
  { method.plan(input) } -> std::same_as<Plan>;
};

/// A method that is not permutation SGD by its plan's recipe runs itself and returns what it released.
template <class T>
concept Solver = Planner<T> && requires(const T method, const Run& run) {
  { method.run(run) } -> std::same_as<Vector>;
};

using Method = std::variant<BoltOn, Scs13, Objective, Output, Dpgd, Dpsgd, Bst14, Correlated, DpAgd, Cms11, Kst12, Amp,
                            PrivGene, Majority, ShardAverage, WhitenedDpgd, Noiseless, Lbfgs, Auto>;

static_assert(Planner<BoltOn> && Planner<Scs13> && Planner<Noiseless>);
static_assert(Solver<Objective> && Solver<Output> && Solver<Cms11> && Solver<Kst12> && Solver<Amp> && Solver<Lbfgs>);
static_assert(Solver<Dpgd> && Solver<Dpsgd> && Solver<Bst14> && Solver<Correlated>);
static_assert(Solver<DpAgd> && Solver<Majority> && Solver<PrivGene> && Solver<ShardAverage> && Solver<WhitenedDpgd> &&
              Solver<Auto>);

inline Plan make_plan(const Method& method, const PlanInput& input) {
  return std::visit([&](const auto& a) { return a.plan(input); }, method);
}

/// The problem whose loss and lambda run: the one that was asked for, unless the method says that another stands in
/// for it. Of public facts and budget, like the plan.
inline Problem minimised_problem(const Method& method, const PlanInput& input) {
  return std::visit(
      [&](const auto& a) {
        if constexpr (requires { a.minimised(input); }) {
          return a.minimised(input);
        } else {
          return input.problem;
        }
      },
      method);
}

}  // namespace sotto
