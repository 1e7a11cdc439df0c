// What: what private choices of hyper-parameters cost (spec 6.3, 6.6, 6.7).
// Formula: parts: the part of each setting costs what its training costs, the last part one choice at epsilon; a row is
//   in one part, so all together cost the largest. random_stopping: a run is training and score; the best of
//   Poisson(mean) runs costs what tuning/random_stopping.h says of their events, one of which happens in each run, by
//   the coin that draws its setting. Trainings that have a rho are priced at one rho, others by their divergences.
// Conditions: parts: replace_one, places by a key independent of all values. random_stopping: each run's setting
//   uniform, the number of runs secret.
// Reference: [Wu17, Algorithm 3]; [McSherry09, Theorem 4]; [Papernot22, Theorem 6].
// Fails if wrong: Tune.*, TuneWithLedger.*
#include "sotto/tune_plan.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/methods/auto_descent.h"
#include "sotto/privacy/accountant/zcdp.h"
#include "sotto/tuning/parts.h"

namespace sotto {
namespace {

/// Its remarks would be lost with it, if another wins.
Plan private_plan(const TrainRequest& request, const Facts& facts) {
  Plan plan = make_plan(request.method, plan_input(request, facts));
  require(plan.not_private.empty() && !plan.charges.empty(), "method", "must be private to be tuned privately");
  return plan;
}

struct PlannedRun {
  TrainRequest request;
  Plan plan;

  /// Whether it is `auto`, which chose secret batches.
  bool samples() const {
    return std::holds_alternative<Auto>(request.method) && std::holds_alternative<SampledWork>(plan.work.way);
  }
};

/// `auto` without secret batches, unless it may have them: most ledgers count in rho, which these have not.
PlannedRun planned_run(TrainRequest request, const Facts& facts, bool may_sample) {
  PlannedRun run{std::move(request), {}};
  run.plan = private_plan(run.request, facts);
  if (may_sample || !run.samples()) return run;
  run.request.method = auto_descent(std::get<Auto>(run.request.method), plan_input(run.request, facts));
  run.plan = private_plan(run.request, facts);
  return run;
}

void add(TunePlan& whole, PlannedRun run) {
  whole.runs.push_back(std::move(run.request));
  whole.plans.push_back(std::move(run.plan));
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
    add(whole, planned_run(with_setting(request.train, request.grid[i]), part, false));
    const Plan& plan = whole.plans.back();
    parts.push_back(event_of(plan.charges));
    whole.epsilon = std::max(whole.epsilon, plan.guarantee.epsilon);
    // A row is in one part: which part was chosen must not be told by its price, so the dearest counts.
    whole.delta = std::max(whole.delta, plan.guarantee.delta);
    whole.distance = std::max(whole.distance, planned_cost(plan).distance);
  }
  parts.emplace_back(ExponentialEvent{budget.epsilon});
  whole.charge = {parallel(std::move(parts), PartBy::position), 1, 1};
  return whole;
}

/// What runs are priced by, the same for all settings.
struct RunTerms {
  const Budget& budget;  ///< what the best of all runs may cost
  std::uint32_t mean_runs;
  StoppingTerms stopping;
  bool samples = true;  ///< whether `auto` may choose secret batches
};

/// A setting at some epsilon of its training, and the event of one run.
struct PricedRun {
  PlannedRun training;
  Event run;
  double over = 0;  ///< ln of its cost over what it may cost: at most 0 fits; mostly ln epsilon and a constant
};

double log_over(double cost, double limit) {
  const double log_ratio = std::log(cost / limit);
  return cost <= limit ? std::min(log_ratio, 0.0) : std::max(log_ratio, 1e-18);  // a ratio may round to 1
}

std::optional<double> rho_of(const Event& event, Relation relation) {
  try {
    return zcdp_rho_of(event, relation);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unsupported) throw;
    return std::nullopt;
  }
}

PricedRun run_at(double epsilon, const TrainRequest& base, const Facts& facts, const RunTerms& terms) {
  TrainRequest request = base;
  request.budget.epsilon = epsilon;
  PricedRun priced{planned_run(std::move(request), facts, terms.samples), {}, 0};
  std::vector<Charge> charges = priced.training.plan.charges;
  if (const auto rho = rho_of(event_of(charges), terms.budget.relation)) {
    priced.run = ZcdpEvent{terms.stopping.run_rho};
    priced.over = log_over(*rho, terms.stopping.train_rho) / 2;
    return priced;
  }
  charges.push_back({event_of(score_noise(terms.stopping))});
  priced.run = event_of(charges);
  priced.over = log_over(stopping_epsilon(priced.run, terms.budget, terms.mean_runs), terms.budget.epsilon);
  return priced;
}

constexpr double kClose = 1e-3;  // of epsilon
constexpr double kAim = kClose / 3;

/// The setting with the largest epsilon of its training at which a run fits, to a thousandth. The cost of what is
/// returned was computed at that very epsilon: where cost does not rise with epsilon, as at the choices of `auto`, some
/// epsilon is left unused, and nothing else goes wrong.
class EpsilonSearch {
 public:
  EpsilonSearch(const TrainRequest& base, const Facts& facts, const RunTerms& terms)
      : base_(base), facts_(facts), terms_(terms) {}

  PricedRun from(double start) {
    double epsilon = std::min(start, base_.budget.epsilon);
    for (int i = 0; i < kMaxTries && !try_at(epsilon); ++i) epsilon = next(i);
    if (!found_ && !refused_.empty()) {
      throw Error(ErrorKind::unsupported,
                  "epsilon: what a selection over so many runs leaves to one of them is too little; " + refused_,
                  "epsilon");
    }
    require(found_.has_value(), "epsilon", "too small for a selection over so many runs");
    return std::move(*found_);
  }

 private:
  static constexpr int kMaxTries = 80;

  /// Whether there is nothing left to find.
  bool try_at(double epsilon) {
    try {
      PricedRun here = run_at(epsilon, base_, facts_, terms_);
      if (here.over <= 0) {
        low_ = epsilon;
        found_ = std::move(here);
        if (found_->over > -kClose || epsilon == base_.budget.epsilon) return true;
      } else {
        high_ = epsilon;
        over_high_ = here.over;
      }
    } catch (const Error& error) {
      // Below the least epsilon that its theorem takes: the answer, if there is one, lies above.
      if (error.kind() != ErrorKind::unsupported || epsilon == base_.budget.epsilon) throw;
      if (found_) {
        // Above one that fits: `auto` chooses something else there.
        high_ = epsilon;
        over_high_ = kClose;
      } else {
        refused_ = error.what();
        low_ = epsilon;
      }
    }
    return high_ > 0 && (high_ - low_ <= kClose * high_ || high_ < 1e-9 * base_.budget.epsilon);
  }

  /// By the slope that costs mostly have; now and then the middle, where they have another.
  double next(int tried) const {
    const bool middle = tried % 6 == 5;
    if (high_ == 0) {
      const double up = found_ && !middle ? low_ * std::exp(-found_->over - kAim) : 2 * low_;
      return std::min(base_.budget.epsilon, up);
    }
    if (found_ && !middle) {
      const double share = (over_high_ + kAim) / (over_high_ - found_->over);
      return high_ * std::pow(low_ / high_, std::clamp(share, 0.02, 0.98));
    }
    const double down = high_ * std::exp(-1.1 * over_high_ - kAim);
    return found_ || down <= low_ ? (low_ + high_) / 2 : down;
  }

  const TrainRequest& base_;
  const Facts& facts_;
  const RunTerms& terms_;
  double low_ = 0, high_ = 0;  // fits or is refused; is too much
  double over_high_ = 0;
  std::optional<PricedRun> found_;  // at low_
  std::string refused_;             // why, at low_
};

/// Secret batches mostly cost what full scans cost (at (1, 1e-6) both train at epsilon 0.39) and read a fraction of the
/// rows; not where the best order is one at which nothing is known of them but their cost without sampling.
PricedRun priced(const TrainRequest& base, double start, const Facts& facts, const RunTerms& terms) {
  constexpr double kWorth = 0.98;
  PricedRun asked = EpsilonSearch(base, facts, terms).from(start);
  if (!asked.training.samples()) return asked;
  RunTerms scanning = terms;
  scanning.samples = false;
  PricedRun full = EpsilonSearch(base, facts, scanning).from(start);
  return asked.training.request.budget.epsilon < kWorth * full.training.request.budget.epsilon ? full : asked;
}

/// Every run as dear as if it were the only kind. `starts`: epsilons to look near, one a setting, 0 for that of
/// the one before; then those that were found.
TunePlan stopping_at(const TuneRequest& request, const Facts& facts, const Budget& budget,
                     std::vector<double>& starts) {
  const RunTerms terms{budget, request.mean_runs, stopping_terms(budget, request.mean_runs)};
  TunePlan whole;
  whole.stopping = terms.stopping;
  std::vector<Event> runs;
  for (std::size_t i = 0; i < request.grid.size(); ++i) {
    const TrainRequest base = with_setting(request.train, request.grid[i]);
    if (starts[i] == 0) starts[i] = i == 0 ? budget.epsilon : starts[i - 1];
    PricedRun one = priced(base, starts[i], facts, terms);
    starts[i] = one.training.request.budget.epsilon;
    const double distance = planned_cost(one.training.plan).distance;
    whole.distance = std::max(whole.distance, request.mean_runs * distance);  // the expected number of runs
    add(whole, std::move(one.training));
    runs.push_back(std::move(one.run));
  }
  whole.charge = {select_best(one_of(runs), PoissonRuns{static_cast<double>(request.mean_runs)}), 1, 1};
  return whole;
}

TunePlan plan_stopping(const TuneRequest& request, const Facts& facts) {
  constexpr int kMaxRounds = 20;
  const Budget& budget = request.train.budget;
  Budget aim = budget;
  std::vector<double> starts(request.grid.size(), 0.0);
  for (int i = 0; i < kMaxRounds; ++i) {
    TunePlan whole = stopping_at(request, facts, aim, starts);
    const Event& run = *std::get<SelectionEvent>(whole.charge.event).run;
    const double epsilon = stopping_epsilon(run, budget, request.mean_runs);
    if (epsilon > budget.epsilon) {
      // Runs of several kinds are priced at one order, which need not be the best of any of them.
      const double share = budget.epsilon / epsilon * (1 - kClose);
      aim.epsilon *= share;
      for (double& start : starts) start *= share;
      continue;
    }
    whole.epsilon = budget.epsilon;
    whole.delta = budget.delta;
    require((1 + std::exp(budget.epsilon)) * whole.distance <= budget.delta / 1000, "delta",
            "too small for the numerical distance of this noise at this epsilon; raise delta, lower epsilon, or use "
            "discrete_gaussian where the method has it");
    return whole;
  }
  throw Error(ErrorKind::unsupported, "grid: has kinds of runs that no order prices together; tune them apart", "grid");
}

}  // namespace

TrainRequest with_setting(const TrainRequest& base, const Setting& setting) {
  require(!base.personal, "personal_epsilons", "have no proof for a choice among runs");
  TrainRequest request = base;
  request.progress = nullptr;
  for (const auto& [name, value] : setting) {
    const bool known =
        set_field(request.problem, name, value) ||
        std::visit([&, &n = name, &v = value](auto& method) { return set_field(method, n, v); }, request.method);
    require(known, "grid", "neither the problem nor the method has a parameter " + name);
  }
  return request;
}

TunePlan plan_tuning(const TuneRequest& request, const Facts& facts) {
  require(!request.grid.empty(), "grid", "must have at least one combination");
  return request.by == TuneBy::parts ? plan_parts(request, facts) : plan_stopping(request, facts);
}

}  // namespace sotto
