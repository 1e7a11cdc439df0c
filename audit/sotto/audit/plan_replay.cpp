// What: the price of every plan, recomputed by the tiny accountant.
// Formula: delta of the text of its charges at the promised epsilon is at most what it promises, and that at most the
//   budget's.
// Conditions: events come to the tiny accountant as text, as a ledger has them.
// Reference: spec 6.4 to 6.7, 8; docs/audit.md.
// Fails if wrong: LedgerReplay.*, make mutants.
#include <fmt/format.h>

#include <cmath>
#include <fstream>

#include "sotto/audit/ledger_replay.h"
#include "sotto/audit/replay_settings.h"
#include "sotto/audit/stored_table.h"
#include "sotto/audit/tiny_accountant.h"
#include "sotto/methods/bounds_plan.h"
#include "sotto/tune_plan.h"

namespace sotto::audit {
namespace {

constexpr double kNumerical = 1e-9;      // delta that a pure plan may have for its numerics
constexpr double kClose = 1.02;          // to which sampled sums are recomputed
constexpr double kTinyRounding = 1e-13;  // of a delta by the tiny accountant, where a promise is 0 or all but

/// What is promised within a budget by charges, and what is added for numerics.
struct Promise {
  std::string subject;
  std::string charges;  ///< in words
  double epsilon = 0, delta = 0;
  double added = 0;
};

Finding recomputed(const Promise& promise, const Budget& budget) {
  const double allowed = budget.delta > 0 ? budget.delta : kNumerical;
  const bool within = promise.epsilon <= budget.epsilon * (1 + 1e-12) && promise.delta <= allowed * (1 + 1e-12);
  const bool sampled = promise.charges.find("poisson_sampled") != std::string::npos;
  const double found =
      tiny::delta_of(promise.charges, promise.epsilon, budget.relation == Relation::replace_one) + promise.added;
  return {"ledger",
          promise.subject,
          "delta over promise",
          1,
          within ? found / (promise.delta + kTinyRounding) / (sampled ? kClose : 1 + 1e-6) : HUGE_VAL,
          "from the text of the plan's charges: " + promise.charges};
}

std::vector<double> numbers(std::string_view name, Relation relation, double intervals) {
  if (name == "passes") return {3};
  if (name == "intervals" && intervals > 0) return {intervals};
  if (name == "declared_rows" && relation == Relation::add_remove) return {1000};
  return {};
}

Promise promise_of(std::string subject, const Plan& plan) {
  return {std::move(subject), event_text(event_of(plan.charges)), plan.guarantee.epsilon, plan.guarantee.delta};
}

/// A thousand rows and the method's own settings, pure or not, with intervals or without.
void trainings(const AuditedMethod& method, Relation relation, std::vector<Finding>& findings) {
  for (const double delta : {0.0, 1e-3}) {
    for (const double intervals : {0.0, 0.25}) {
      TrainRequest request;
      request.problem = {Logistic{}, 0.05};
      request.budget = {1, delta, relation};
      request.method = method.plain([&](std::string_view name, double) { return numbers(name, relation, intervals); });
      std::string why;
      const auto plan = plan_if_taken(request, {1000, 2, 1.0, false}, why);
      const std::string subject =
          fmt::format("{}, delta {}{}{}", method.name, delta, intervals > 0 ? ", intervals" : "",
                      relation == Relation::add_remove ? ", add_remove" : "");
      if (!plan && intervals == 0 && !makes_no_claim(why)) findings.push_back(not_tested("ledger", subject, why));
      if (!plan || plan->charges.empty() || (intervals > 0 && !plan->work.intervals)) continue;
      findings.push_back(recomputed(promise_of(subject, *plan), request.budget));
    }
  }
}

/// The dearest of plans spread over the settings that are replayed.
void settings(const AuditedMethod& method, Relation relation, std::vector<Finding>& findings) {
  constexpr std::uint64_t kPlans = 12;
  Finding worst;
  std::uint64_t plans = 0, offset = 0;
  for (const std::string_view loss : names<Loss>()) {
    const Selection selection{make_by_name<Loss>(loss, "loss"), relation, kPlans, 1, false, offset += kPlans};
    for_each_case(method, selection, [&](const ReplayCase& one) {
      if (one.plan.charges.empty()) return;
      ++plans;
      Finding finding = recomputed(promise_of(method.name, one.plan), one.request.budget);
      finding.evidence = one.name + ": " + finding.evidence;
      if (plans == 1 || !(finding.found <= worst.found)) worst = std::move(finding);
    });
  }
  if (plans == 0) return;  // trainings() says why
  worst.subject += relation == Relation::add_remove ? ", settings, add_remove" : ", settings";
  worst.evidence = fmt::format("the dearest of {} plans, {}", plans, worst.evidence);
  findings.push_back(std::move(worst));
}

void tuning(TuneBy by, const Method& method, const char* grid, std::vector<Finding>& findings) {
  TuneRequest request;
  request.by = by;
  request.train.problem = {Logistic{}, 0.05};
  request.train.budget = {1, 1e-3};
  request.train.method = method;
  request.grid = parse_grid(grid);
  const TunePlan plan = plan_tuning(request, {1000, 2, 1.0, false});
  findings.push_back(recomputed({fmt::format("tuning by {}, {}", enum_name(by), name_of(method)),
                                 event_text(plan.charge.event), plan.epsilon, plan.delta},
                                request.train.budget));
}

void tunings(std::vector<Finding>& findings) {
  const Scs13 sums{.sgd = {.passes = 3}, .mechanism = MechanismChoice::discrete_gaussian};
  for (const TuneBy by : {TuneBy::parts, TuneBy::random_stopping}) tuning(by, sums, "lambda=0.01,0.1", findings);
  tuning(TuneBy::random_stopping, Objective{}, "lambda=0.05,0.5", findings);
  tuning(TuneBy::random_stopping, Dpsgd{.batch_rows = 200}, "passes=3,6", findings);
}

void bounds(std::vector<Finding>& findings) {
  const TemporaryFolder folder;
  const std::string path = folder.file("rows.csv");
  std::ofstream(path) << "a,b,word,y\n1,2,x,1\n3,4,z,-1\n";
  for (const Relation relation : {Relation::replace_one, Relation::add_remove}) {
    BoundsRequest request;
    request.schema.columns = {{"word", CategoryColumn{}}};
    request.schema.label.column = "y";
    request.data_norm = true;
    request.budget = {1, 1e-3, relation};
    const BoundsPlan plan = plan_bounds(path, request);
    findings.push_back(recomputed({fmt::format("bounds, {}", enum_name(relation)), event_text(event_of(plan.charges)),
                                   plan.epsilon, plan.delta, (1 + std::exp(plan.epsilon)) * plan.distance},
                                  request.budget));
  }
}

}  // namespace

std::vector<Finding> audit_plans() {
  std::vector<Finding> findings;
  for (const AuditedMethod& method : audited_methods()) {
    for (const Relation relation : {Relation::replace_one, Relation::add_remove}) {
      trainings(method, relation, findings);
      settings(method, relation, findings);
    }
  }
  tunings(findings);
  bounds(findings);
  return findings;
}

}  // namespace sotto::audit
