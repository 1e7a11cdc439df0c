#pragma once
#include <concepts>
#include <type_traits>
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
#include "sotto/methods/scs13.h"
#include "sotto/methods/shard_average.h"
#include "sotto/methods/whitened_dpgd.h"

/// The list of methods. To add one: a header and source beside this file and a word in `Method`.
namespace sotto {

/// A method's fields are its parameters; it turns public facts and a budget into a plan. Its signature cannot see
/// data, so its calibration cannot depend on them. It runs nothing: the work of its plan does.
template <class T>
concept Planner = requires(const T method, const PlanInput& input) {
  { T::kName } -> std::convertible_to<std::string_view>;
  { T::kSummary } -> std::convertible_to<std::string_view>;
  { T::kReference } -> std::convertible_to<std::string_view>;
  T::fields();
  { method.plan(input) } -> std::same_as<Plan>;
};

using Method = std::variant<BoltOn, Scs13, Objective, Output, Dpgd, Dpsgd, Bst14, Correlated, DpAgd, Cms11, Kst12, Amp,
                            PrivGene, Majority, ShardAverage, WhitenedDpgd, Noiseless, Lbfgs, Auto>;

/// Whether every member of a list of methods is one.
template <class... Members>
consteval bool well_formed(std::type_identity<std::variant<Members...>>) {
  return (Planner<Members> && ...);
}
static_assert(well_formed(std::type_identity<Method>{}), "a method lacks a name, a summary, a reference or plan()");

inline Plan make_plan(const Method& method, const PlanInput& input) {
  return std::visit([&](const auto& a) { return a.plan(input); }, method);
}

}  // namespace sotto
