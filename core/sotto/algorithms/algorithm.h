#pragma once
#include <concepts>
#include <variant>

#include "sotto/algorithms/amp.h"
#include "sotto/algorithms/auto.h"
#include "sotto/algorithms/bolt_on.h"
#include "sotto/algorithms/bst14.h"
#include "sotto/algorithms/cms11.h"
#include "sotto/algorithms/correlated.h"
#include "sotto/algorithms/dp_agd.h"
#include "sotto/algorithms/dpgd.h"
#include "sotto/algorithms/dpsgd.h"
#include "sotto/algorithms/kst12.h"
#include "sotto/algorithms/lbfgs.h"
#include "sotto/algorithms/majority.h"
#include "sotto/algorithms/noiseless.h"
#include "sotto/algorithms/objective.h"
#include "sotto/algorithms/output.h"
#include "sotto/algorithms/priv_gene.h"
#include "sotto/algorithms/run.h"
#include "sotto/algorithms/scs13.h"
#include "sotto/algorithms/shard_average.h"
#include "sotto/algorithms/whitened_dpgd.h"

/// The list of algorithms. To add one: a header and source beside this file and a word in `Algorithm`.
namespace sotto {

/// An algorithm's fields are its parameters; it turns public facts and a budget into a plan. Its signature cannot see
/// data, so its calibration cannot depend on them.
template <class T>
concept Planner = requires(const T algorithm, const PlanInput& input) {
  { T::kName } -> std::convertible_to<std::string_view>;
  { T::kReference } -> std::convertible_to<std::string_view>;
  { algorithm.plan(input) } -> std::same_as<Plan>;
};

/// An algorithm that is not permutation SGD by its plan's recipe runs itself and returns what it released.
template <class T>
concept Solver = Planner<T> && requires(const T algorithm, const Run& run) {
  { algorithm.run(run) } -> std::same_as<Vector>;
};

using Algorithm = std::variant<BoltOn, Scs13, Objective, Output, Dpgd, Dpsgd, Bst14, Correlated, DpAgd, Cms11, Kst12,
                               Amp, PrivGene, Majority, ShardAverage, WhitenedDpgd, Noiseless, Lbfgs, Auto>;

static_assert(Planner<BoltOn> && Planner<Scs13> && Planner<Noiseless>);
static_assert(Solver<Objective> && Solver<Output> && Solver<Cms11> && Solver<Kst12> && Solver<Amp> && Solver<Lbfgs>);
static_assert(Solver<Dpgd> && Solver<Dpsgd> && Solver<Bst14> && Solver<Correlated>);
static_assert(Solver<DpAgd> && Solver<Majority> && Solver<PrivGene> && Solver<ShardAverage> && Solver<WhitenedDpgd> &&
              Solver<Auto>);

inline Plan make_plan(const Algorithm& algorithm, const PlanInput& input) {
  return std::visit([&](const auto& a) { return a.plan(input); }, algorithm);
}

/// The problem whose loss and lambda run: the one that was asked for, unless the method says that another stands in
/// for it. Of public facts and budget, like the plan.
inline Problem minimised_problem(const Algorithm& algorithm, const PlanInput& input) {
  return std::visit(
      [&](const auto& a) {
        if constexpr (requires { a.minimised(input); }) {
          return a.minimised(input);
        } else {
          return input.problem;
        }
      },
      algorithm);
}

}  // namespace sotto
