// What: what private choices of hyper-parameters cost (spec 6.3, 6.6, 6.7).
// Formula: parts: one part a setting costs what its training costs, the last one choice at epsilon; a row is in one
// part,
//   so all cost the dearest. random_stopping: each run rho-zCDP, the best of Poisson(mean) runs:
//   tuning/random_stopping.h.
// Conditions: parts: replace_one, places by a key independent of all values. random_stopping: each run's setting
//   uniform, the number of runs secret.
// Reference: [Wu17, Algorithm 3]; [McSherry09, Theorem 4]; [Papernot22, Theorem 6].
// Fails if wrong: Tune.*, TuneWithLedger.*
#include "sotto/tune_plan.h"

#include <algorithm>
#include <cmath>

#include "sotto/algorithms/auto_descent.h"
#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/privacy/accountant/zcdp.h"
#include "sotto/tuning/parts.h"

namespace sotto {
namespace {

/// Its remarks would be lost with it, if another wins.
Plan private_plan(const TrainRequest& request, const Facts& facts) {
  Plan plan = make_plan(request.algorithm, {facts, request.problem, request.budget});
  require(plan.not_private.empty() && !plan.charges.empty(), "method", "must be private to be tuned privately");
  require(plan.noise_path == NoisePath::safe, "noise_path", "must be safe to be tuned privately");
  return plan;
}

/// `auto` without secret batches: choices among runs, and most ledgers, count in rho, which these have not.
TrainRequest unsampled(TrainRequest request, const Facts& facts) {
  const auto* method = std::get_if<Auto>(&request.algorithm);
  if (method == nullptr) return request;
  const PlanInput input{facts, request.problem, request.budget};
  if (std::holds_alternative<Dpsgd>(method->choose(input).solver)) request.algorithm = auto_descent(*method, input);
  return request;
}

TunePlan plan_parts(const TuneRequest& request, const Facts& facts) {
  const Budget& budget = request.train.budget;
  if (budget.relation != Relation::replace_one) {
    throw Error(ErrorKind::unsupported, "relation: parts of public sizes need replace_one", "relation");
  }
  TunePlan whole;
  whole.epsilon = budget.epsilon;
  std::vector<Event> parts;
  for (std::size_t i = 0; i < request.grid.size(); ++i) {
    const Facts part = part_facts(facts, request.grid.size() + 1, i);
    whole.runs.push_back(unsampled(with_setting(request.train, request.grid[i]), part));
    const Plan plan = private_plan(whole.runs.back(), part);
    parts.push_back(event_of(plan.charges));
    whole.epsilon = std::max(whole.epsilon, plan.guarantee.epsilon);
    // A row is in one part: which part was chosen must not be told by its price, so the dearest counts.
    whole.delta = std::max(whole.delta, plan.guarantee.delta);
    whole.distance = std::max(whole.distance, planned_cost(plan).distance);
  }
  parts.emplace_back(ExponentialEvent{budget.epsilon});
  whole.charge = {parallel(std::move(parts)), 1, 1};
  return whole;
}

/// What a training costs in rho, the currency of a choice among runs.
double rho_of(const TrainRequest& request, const Facts& facts) {
  const Event event = event_of(private_plan(request, facts).charges);
  try {
    return zcdp_rho_of(event, request.budget.relation);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unsupported) throw;
    throw Error(ErrorKind::unsupported,
                "method: random stopping counts in rho, which " + std::string(name_of(request.algorithm)) +
                    " has not; tune it by parts or on public rows",
                "method");
  }
}

/// The request with the largest epsilon at which its training costs at most `rho`.
TrainRequest priced(const TrainRequest& base, const Facts& facts, double rho) {
  TrainRequest request = base;
  const auto rho_at = [&](double epsilon) {
    request = base;
    request.budget.epsilon = epsilon;
    request = unsampled(std::move(request), facts);
    return rho_of(request, facts);
  };
  double low = 0, high = base.budget.epsilon;
  if (rho_at(high) <= rho) return request;
  for (int i = 0; i < 50 && high - low > 1e-3 * high; ++i) {
    const double middle = (low + high) / 2;
    (rho_at(middle) <= rho ? low : high) = middle;
  }
  require(low > 0, "epsilon", "too small for a selection over so many runs");
  rho_at(low);
  return request;
}

TunePlan plan_stopping(const TuneRequest& request, const Facts& facts) {
  const Budget& budget = request.train.budget;
  TunePlan whole;
  whole.stopping = stopping_terms(budget, request.mean_runs);
  whole.epsilon = whole.stopping.epsilon;
  whole.delta = whole.stopping.delta;
  for (const Setting& setting : request.grid) {
    whole.runs.push_back(priced(with_setting(request.train, setting), facts, whole.stopping.train_rho));
    const double distance = planned_cost(private_plan(whole.runs.back(), facts)).distance;
    whole.distance = std::max(whole.distance, request.mean_runs * distance);  // the expected number of runs
  }
  require((1 + std::exp(budget.epsilon)) * whole.distance <= budget.delta / 1000, "delta",
          "too small for the numerical distance of this noise; use discrete_gaussian");
  const PoissonRuns runs{static_cast<double>(request.mean_runs)};
  whole.charge = {select_best(ZcdpEvent{whole.stopping.run_rho}, runs), 1, 1};
  return whole;
}

}  // namespace

TrainRequest with_setting(const TrainRequest& base, const Setting& setting) {
  require(!base.personal, "personal_epsilons", "have no proof for a choice among runs");
  TrainRequest request = base;
  request.progress = nullptr;
  for (const auto& [name, value] : setting) {
    const bool known =
        set_field(request.problem, name, value) ||
        std::visit([&, &n = name, &v = value](auto& method) { return set_field(method, n, v); }, request.algorithm);
    require(known, "grid", "neither the problem nor the method has a parameter " + name);
  }
  return request;
}

TunePlan plan_tuning(const TuneRequest& request, const Facts& facts) {
  require(!request.grid.empty(), "grid", "must have at least one combination");
  return request.by == TuneBy::parts ? plan_parts(request, facts) : plan_stopping(request, facts);
}

}  // namespace sotto
