// What: the plan of one permutation SGD a shard, averaged once with public weights.
// Formula: Delta = max_p a_p Delta_p, a_p = m_p/m, Delta_p of optim/sensitivity (spec 3.2) with n_p = ceil(m_p/b) (spec
//   3.6), plus 2 (P + 2) u W for the rounding of the average, W the bound on the weights of any shard.
// Why: a row lies in one shard, decided by position; the other shards' results are the same for neighbours.
// Conditions: replace_one; the same order in every pass (a fresh one would move rows between shards); sizes and weights
//   public; one average, at the end: averaging between passes is another method.
// Reference: [Wu17, Algorithms 1 and 2] corrected as in docs/notes/sensitivity.md, its section "Shards".
// Fails if wrong: ShardAverage.*, Replay.* (every setting, tight within 1 percent).
#include "sotto/methods/shard_average.h"

#include <algorithm>
#include <numeric>

#include "sotto/base/error.h"
#include "sotto/optim/row_gradients.h"
#include "sotto/optim/sensitivity.h"

namespace sotto {
namespace {

void check(const ShardAverage& options, const PlanInput& input) {
  if (input.budget.relation != Relation::replace_one) {
    throw Error(ErrorKind::unsupported,
                "relation: shard_average holds under replace_one only: removing a row moves every later row",
                "relation");
  }
  if (options.sgd.order == RowOrder::fresh) {
    throw Error(ErrorKind::unsupported, "order: a fresh order would move rows between shards; use fixed", "order");
  }
}

std::vector<std::uint64_t> sizes_of(const ShardAverage& options, std::uint64_t rows) {
  std::vector<std::uint64_t> sizes(options.sizes.begin(), options.sizes.end());
  if (sizes.empty()) {
    require(options.shards > 0 && options.shards <= std::min<std::uint64_t>(rows, ShardAverage::kMaxShards), "shards",
            "got " + std::to_string(options.shards) + ", must lie between 1 and the number of rows, and be at most " +
                std::to_string(ShardAverage::kMaxShards));
    for (std::uint64_t p = 0; p < options.shards; ++p) {
      sizes.push_back(rows / options.shards + (p < rows % options.shards ? 1 : 0));
    }
  }
  const bool filled = std::none_of(sizes.begin(), sizes.end(), [](std::uint64_t size) { return size == 0; });
  require(filled && std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}) == rows, "sizes",
          "must be above 0 and add up to the number of rows");
  return sizes;
}

// The weights of every shard are held at once, until they are averaged.
void check_room(std::uint64_t shards, std::uint64_t weights) {
  require(shards <= ShardAverage::kMaxShards && weights <= ShardAverage::kMaxWeights / shards, "shards",
          std::to_string(shards) + " of " + std::to_string(weights) + " weights each: must be at most " +
              std::to_string(ShardAverage::kMaxShards) + ", and their weights together " +
              std::to_string(ShardAverage::kMaxWeights));
}

Sensitivity sensitivity_of(std::span<const ShardTask> tasks, const PlanInput& input) {
  const LossConstants constants = constants_of(input.problem.loss, stored_norm(input.facts), input.facts.classes);
  Sensitivity result;
  const ShardTask* before = nullptr;
  Sensitivity bound;
  for (const ShardTask& task : tasks) {
    // Equal shards have equal bounds, and there are at most two sizes of them.
    if (before == nullptr || before->facts.rows != task.facts.rows) {
      bound = l2_sensitivity(task.recipe, task.facts, constants.diameter_replace_one);
    }
    before = &task;
    const double weight = shard_weight(task, input.facts.rows);
    result.total = std::max(result.total, weight * bound.total);
    result.rounding = std::max(result.rounding, weight * bound.rounding);
    result.weight_bound = std::max(result.weight_bound, bound.weight_bound);
  }
  const double of_average = 2 * (static_cast<double>(tasks.size()) + 2) * 0x1p-53 * result.weight_bound;
  result.total = (result.total + of_average) * (1 + 8 * 0x1p-53);
  result.rounding += of_average;
  return result;
}

ShardTask task_of(const SgdOptions& sgd, const Problem& problem, const Facts& facts) {
  ShardTask task{make_recipe(sgd, problem, facts), facts};
  const LossConstants constants = constants_of(problem.loss, stored_norm(facts), facts.classes);
  task.recipe.precision = needed_precision(task.recipe, facts, constants.diameter_replace_one);
  return task;
}

/// All shards get one text of what to do, so they take the arithmetic of the one that needs most.
void share_precision(std::vector<ShardTask>& tasks) {
  Precision most = Precision::plain;
  for (const ShardTask& task : tasks) most = std::max(most, task.recipe.precision);
  for (ShardTask& task : tasks) task.recipe.precision = most;
}

}  // namespace

std::vector<ShardTask> ShardAverage::tasks(const PlanInput& input) const {
  check(*this, input);
  make_recipe(sgd, input.problem, input.facts);  // its checks of the whole
  std::vector<ShardTask> tasks;
  const std::vector<std::uint64_t> all = sizes_of(*this, input.facts.rows);
  check_room(all.size(), weight_count(input.problem.loss, input.facts));
  for (const std::uint64_t size : all) {
    Facts facts = input.facts;
    facts.rows = size;
    const bool as_before = !tasks.empty() && tasks.back().facts.rows == size;  // equal shards do equal work
    tasks.push_back(as_before ? tasks.back() : task_of(sgd, input.problem, facts));
  }
  share_precision(tasks);
  return tasks;
}

Plan ShardAverage::plan(const PlanInput& input) const {
  std::vector<ShardTask> shards_of = tasks(input);
  Plan plan = start_plan(*this, input);
  plan.noise_at = NoiseAt::release;
  const Sensitivity bound = sensitivity_of(shards_of, input);
  plan.l2_sensitivity = bound.total;
  const Calibrated noise =
      calibrate(mechanism, {plan.l2_sensitivity, weight_count(input.problem.loss, input.facts), 1, 1}, input.budget);
  plan.noise = noise;
  plan.charges = {noise.charge()};
  plan.guarantee = {plan.noise->epsilon, plan.noise->delta, input.budget.relation, "one row", "final weights"};
  plan.theorem = "spec 3.6 and 4.1/4.2; [Wu17, Algorithms 1 and 2] corrected, on shards";
  plan.remarks.push_back("the average of " + std::to_string(shards_of.size()) +
                         " shards of public sizes; the shard of a row must not depend on its values");
  add_rounding_remarks(bound, shards_of.front().recipe.precision, plan.remarks);
  plan.work.way = ShardWork{std::move(shards_of), sgd.order, plan.noise->mechanism};
  return plan;
}

}  // namespace sotto
