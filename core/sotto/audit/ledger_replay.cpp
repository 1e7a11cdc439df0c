// What: spending recomputed by the tiny accountant.
// Formula: filters: the sum of what was let through is at most the limit that the tiny profiles give for the budget;
//   allowances and charges: a draw that is not covered throws and notes nothing; plans: delta recomputed from the text
//   of their charges is at most what they promise.
// Conditions: events come to the tiny accountant as text, as a ledger has them.
// Reference: spec 6.4, 6.5; docs/audit.md.
// Fails if wrong: LedgerReplay.*, make mutants.
#include "sotto/audit/ledger_replay.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include "sotto/algorithms/algorithm.h"
#include "sotto/audit/tiny_accountant.h"
#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"

namespace sotto::audit {
namespace {

constexpr double kSlack = 1 + 1e-9;
constexpr double kLargestNumerical = 1e-9;  // delta that a pure plan may have for its numerics

Event random_event(std::mt19937_64& random, FilterKind kind, double largest) {
  const double x = largest * std::uniform_real_distribution<double>(0.01, 1)(random);
  if (kind == FilterKind::gdp) return GaussianEvent{x};
  if (kind == FilterKind::sum) return random() % 2 == 0 ? Event(PureEvent{x}) : Event(ApproximateEvent{x, 1e-9});
  switch (random() % 3) {
    case 0: return GaussianEvent{x};
    case 1: return DiscreteGaussianEvent{x * x / 2};
    default: return ExponentialEvent{x};
  }
}

/// Whether spending with these totals breaks the budget, by the tiny profiles.
double overspent(FilterKind kind, const tiny::Totals& totals, const Budget& budget) {
  switch (kind) {
    case FilterKind::sum: return std::max(totals.epsilon / budget.epsilon, totals.delta / budget.delta);
    case FilterKind::gdp: return tiny::gaussian_delta(std::sqrt(totals.mu_squared), budget.epsilon) / budget.delta;
    default: return tiny::zcdp_delta(totals.rho, budget.epsilon) / budget.delta;
  }
}

/// Random requests until ten in a row were refused; what was let through, over the budget.
double filter_path(std::mt19937_64& random, FilterKind kind) {
  const Budget budget{1, 1e-5};
  Filter filter = Filter::open(kind, budget);
  tiny::Totals all;
  for (int refused = 0, asked = 0; refused < 10 && asked < 2000; ++asked) {
    const Event event = random_event(random, kind, random() % 4 == 0 ? 0.5 : 0.1);
    if (!filter.try_spend(event)) {
      ++refused;
      continue;
    }
    const tiny::Totals one = tiny::add_up(tiny::read(event_text(event)));
    all = {all.epsilon + one.epsilon, all.delta + one.delta, all.rho + one.rho, all.mu_squared + one.mu_squared};
  }
  return overspent(kind, all, budget);
}

/// An adaptive run: choices and releases as long as the allowance lasts, asked for without asking first. Returns what
/// was drawn over what was charged; infinite if a refused draw left a trace.
double allowance_path(std::mt19937_64& random, BitSource& bits) {
  Transcript transcript;
  Curator curator(bits, transcript);
  const double rho = 0.1;
  curator.charge({ZcdpEvent{rho}});
  Allowance allowance = curator.open_allowance(ZcdpEvent{rho});
  double spent = 0;
  for (int refused = 0, asked = 0; refused < 3 && asked < 200; ++asked) {
    const double share = rho * std::uniform_real_distribution<double>(0.02, 0.6)(random);
    const Choice choice{1, std::sqrt(8 * share), Aim::largest, {0, 0}};
    const std::size_t before = transcript.entries.size();
    try {
      curator.choose(Sensitive<Vector>(Vector{0, 1}), choice, allowance);
      spent += tiny::add_up(tiny::read(event_text(transcript.entries.back().event))).rho;
    } catch (const Error&) {
      ++refused;
      if (transcript.entries.size() != before) return HUGE_VAL;
    }
  }
  return spent / rho;
}

Finding filters(const LedgerOptions& options) {
  std::mt19937_64 random(options.seed);
  double worst = 0;
  const FilterKind kinds[] = {FilterKind::sum, FilterKind::zcdp, FilterKind::gdp};
  // Opening a filter solves for its limit; half of the paths are spent here, half on allowances.
  for (std::uint64_t i = 0; i < options.paths / 2; ++i) worst = std::max(worst, filter_path(random, kinds[i % 3]));
  return {"ledger",
          "filters",
          "spent over budget",
          1,
          worst / kSlack,
          fmt::format("{} random adaptive paths through sum, zcdp and gdp filters", options.paths / 2)};
}

Finding allowances(const LedgerOptions& options) {
  std::mt19937_64 random(options.seed + 1);
  BitSource bits(ReproducibleSeed{options.seed + 2});
  double worst = 0;
  for (std::uint64_t i = 0; i < options.paths / 2; ++i) worst = std::max(worst, allowance_path(random, bits));
  return {"ledger",
          "allowances",
          "drawn over charged",
          1,
          worst / kSlack,
          fmt::format("{} random adaptive runs; no draw once the rest is short", options.paths / 2)};
}

/// How many draws of one charge were handed out.
template <class Draw>
double draws_of(const Charge& charge, const Draw& draw) {
  BitSource bits(ReproducibleSeed{5});
  Curator curator(bits);
  curator.charge(charge);
  double count = 0;
  try {
    for (; count < 10; ++count) draw(curator);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::budget_exceeded) throw;
  }
  return count;
}

/// Every way to draw, charged once: it must work once.
std::vector<Finding> charges() {
  const Calibrated noise = calibrate(MechanismChoice::gaussian, {1, 1, 1, 1}, {1, 1e-3});
  const auto& gaussian = std::get<GaussianNoise>(noise.mechanism);
  const Choice choice{1, 1, Aim::largest, {0, 0}};
  const SampledGaussian sampled{gaussian, 0.5};
  const JointGaussian joint{gaussian, 3};
  const auto one = [] { return Sensitive<Vector>(Vector{0.5}); };
  std::vector<Finding> findings;
  const auto add = [&](const char* what, double drawn) {
    findings.push_back({"ledger", what, "draws of one charge", 1, drawn == 1 ? 1 : HUGE_VAL,
                        fmt::format("{:.0f} drawn before it was refused", drawn)});
  };
  add("release", draws_of(noise.charge, [&](Curator& c) { c.release(one(), noise.mechanism); }));
  add("choice", draws_of({choice.event()}, [&](Curator& c) { c.choose(Sensitive<Vector>(Vector{0, 1}), choice); }));
  add("sampled batch", draws_of({sampled.event()}, [&](Curator& c) { c.draw_batch(sampled, 10); }));
  add("batch sums", draws_of(noise.charge, [&](Curator& c) { c.step_noise(noise.mechanism, NoisePath::safe, 1); }));
  add("joint noise", draws_of({joint.event()}, [&](Curator& c) { c.joint_noise(joint); }));
  add("allowance", draws_of({ZcdpEvent{1}}, [&](Curator& c) { c.open_allowance(ZcdpEvent{1}); }));
  const ObjectiveNoise objective = with_tolerance(calibrate_objective({0.01, {{1, 1}}, 10, 1}, {2, 1e-3}), 1e-3);
  add("minimiser", draws_of({objective.event()}, [&](Curator& c) {
        c.release_minimiser(objective, [&](std::span<const double>) { return one(); });
      }));
  return findings;
}

/// delta of the charges of a plan at the budget's epsilon, from their text.
double recomputed_delta(const Plan& plan, const PlanInput& input) {
  const double epsilon = input.budget.epsilon;
  tiny::Totals all;
  double other = 0;
  for (const Charge& charge : plan.charges) {
    for (const tiny::Line& line : tiny::read(event_text(charge.event))) {
      const double times = static_cast<double>(charge.times) * line.times;
      if (line.name == "objective") {
        other += times * tiny::objective_delta(line, epsilon);
      } else if (line.name == "poisson_sampled") {
        other += tiny::sampled_delta_lower(
            {line.number("rate"), line.number("noise"), times, input.budget.relation == Relation::replace_one},
            epsilon);
      } else {
        tiny::Line repeated = line;
        repeated.times = times;
        const tiny::Totals one = tiny::add_up({repeated});
        all = {all.epsilon + one.epsilon, all.delta + one.delta, all.rho + one.rho, all.mu_squared + one.mu_squared};
      }
    }
  }
  if (all.epsilon == 0 && all.rho == 0) return other;
  if (all.epsilon <= epsilon * kSlack) return other + all.delta;
  if (std::isfinite(all.mu_squared)) return other + tiny::gaussian_delta(std::sqrt(all.mu_squared), epsilon);
  return other + tiny::zcdp_delta(all.rho, epsilon);
}

/// Every algorithm's charges against what it promises.
std::vector<Finding> plans() {
  std::vector<Finding> findings;
  for_each_member<Algorithm>([&](auto tag) {
    using A = typename decltype(tag)::type;
    for (const double delta : {0.0, 1e-3}) {
      A algorithm{};
      if constexpr (requires { algorithm.sgd; }) {
        algorithm.sgd.passes = 3;
      } else if constexpr (requires { algorithm.passes; }) {
        algorithm.passes = 3;
      }
      const PlanInput input{{1000, 2, 1.0, false}, {Logistic{}, 0.05}, {1, delta}};
      try {
        const Plan plan = make_plan(algorithm, input);
        if (!plan.not_private.empty() || plan.charges.empty()) continue;
        const double allowed = delta > 0 ? delta : kLargestNumerical;
        const bool within = plan.guarantee.epsilon <= input.budget.epsilon && plan.guarantee.delta <= allowed;
        findings.push_back({"ledger", fmt::format("{}, delta {}", A::kName, delta), "delta over budget", 1,
                            within ? recomputed_delta(plan, input) / allowed / (1 + 1e-6) : HUGE_VAL,
                            "from the text of the plan's charges: " + event_text(event_of(plan.charges))});
      } catch (const Error& e) {
        if (e.kind() == ErrorKind::internal) throw;
      }
    }
  });
  return findings;
}

/// A ledger of its own in a temporary folder, spent at random.
Finding stored(const LedgerOptions& options) {
  std::string pattern = (std::filesystem::temp_directory_path() / "sotto-audit-XXXXXX").string();
  const std::filesystem::path folder = ::mkdtemp(pattern.data());
  Finding finding;
  {
    LedgerTerms terms;
    terms.filter.kind = FilterKind::zcdp;
    terms.filter.budget = {1, 1e-5, Relation::replace_one};
    terms.fingerprint = std::string(64, '0');
    terms.rows = 100;
    const std::string path = (folder / "ledger").string();
    SqliteLedger::create(path, terms);
    SqliteLedger ledger(path);
    std::mt19937_64 random(options.seed + 3);
    for (int refused = 0, i = 0; refused < 3 && i < 200; ++i) {
      try {
        Reservation kept = ledger.reserve({random_event(random, FilterKind::zcdp, 0.1), 0, fmt::format("{:064}", i)});
        ledger.release(kept, "model");
      } catch (const Error&) {
        ++refused;
      }
    }
    finding = audit_ledger(ledger);
  }
  std::filesystem::remove_all(folder);
  return finding;
}

}  // namespace

Finding audit_ledger(Ledger& ledger) {
  double total = 0, worst = 0;
  std::size_t entries = 0;
  const Filter filter = ledger.filter();
  for (const LedgerRecord& record : ledger.records()) {
    if (record.kind == RecordKind::reserved) {
      const tiny::Totals one = tiny::add_up(tiny::read(record.detail));
      total += filter.kind() == FilterKind::sum   ? one.epsilon
               : filter.kind() == FilterKind::gdp ? one.mu_squared
                                                  : one.rho;
      ++entries;
    }
    const double stated = static_cast<double>(record.spent.loss) / static_cast<double>(Filter::kLossUnits);
    // A total is rounded up to a unit an entry; it is never below the truth.
    worst = std::max({worst, (total - stated) * 1e9, (stated - total - 2e-12 * static_cast<double>(entries)) * 1e9});
  }
  worst = std::max(worst,
                   total * static_cast<double>(Filter::kLossUnits) > static_cast<double>(filter.limit().loss) * kSlack
                       ? HUGE_VAL
                       : 0.0);
  return {"ledger", "stored ledger", "gap of a total in 1e-9",
          1,        worst,           fmt::format("{} entries recomputed from the text of their events", entries)};
}

std::vector<Finding> audit_ledgers(const LedgerOptions& options) {
  std::vector<Finding> findings = {filters(options), allowances(options)};
  for (Finding& one : charges()) findings.push_back(std::move(one));
  for (Finding& one : plans()) findings.push_back(std::move(one));
  findings.push_back(stored(options));
  return findings;
}

}  // namespace sotto::audit
