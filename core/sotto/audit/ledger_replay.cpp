// What: spending recomputed by the tiny accountant.
// Formula: filters: the sum of what was let through is at most the limit that the tiny profiles give for the budget;
//   allowances and charges: a draw that is not covered throws and notes nothing; a stored ledger: the sum of what was
//   reserved and not given back, to a unit an entry.
// Conditions: events come to the tiny accountant as text, as a ledger has them.
// Reference: spec 6.4, 6.5; docs/audit.md.
// Fails if wrong: LedgerReplay.*, make mutants.
#include "sotto/audit/ledger_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "sotto/audit/neighbours.h"
#include "sotto/audit/stored_table.h"
#include "sotto/audit/tiny_accountant.h"
#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"
#include "sotto/train.h"

namespace sotto::audit {
namespace {

constexpr double kSlack = 1 + 1e-9;

Event random_event(std::mt19937_64& random, FilterKind kind, double largest) {
  const double x = largest * std::uniform_real_distribution<double>(0.01, 1)(random);
  if (kind == FilterKind::gdp || kind == FilterKind::rdp) return GaussianEvent{x};
  if (kind == FilterKind::sum) return random() % 2 == 0 ? Event(PureEvent{x}) : Event(ApproximateEvent{x, 1e-9});
  switch (random() % 3) {
    case 0: return GaussianEvent{x};
    case 1: return DiscreteGaussianEvent{x * x / 2};
    default: return ExponentialEvent{x};
  }
}

/// Whether spending with these totals breaks the budget, by the tiny profiles.
double overspent(const Filter& filter, const tiny::Totals& totals) {
  const auto [epsilon, delta, relation] = filter.budget();
  switch (filter.kind()) {
    case FilterKind::sum: return std::max(totals.epsilon / epsilon, totals.delta / delta);
    case FilterKind::gdp: return tiny::gaussian_delta(std::sqrt(totals.mu_squared), epsilon) / delta;
    case FilterKind::zcdp: return tiny::zcdp_delta(totals.rho, epsilon) / delta;
    default: break;
  }
  const double order = filter.rdp_order(), excess = order - 1;
  return std::exp(excess * (order * totals.rho - epsilon) + order * std::log1p(-1 / order)) / excess / delta;
}

/// Random requests until ten in a row were refused; what was let through, over the budget.
double filter_path(std::mt19937_64& random, const Filter& fresh) {
  Filter filter = fresh;
  tiny::Totals all;
  for (int refused = 0, asked = 0; refused < 10 && asked < 2000; ++asked) {
    const Event event = random_event(random, filter.kind(), random() % 4 == 0 ? 0.5 : 0.1);
    if (filter.try_spend(event)) {
      all += tiny::add_up(tiny::read(event_text(event)));
      refused = 0;
    } else {
      ++refused;
    }
  }
  return overspent(filter, all);
}

/// One draw of that much rho, by a choice or by a release.
void draw_from(Curator& curator, Allowance& allowance, double rho, bool by_choice) {
  if (by_choice) {
    const Choice choice{1, std::sqrt(8 * rho), Aim::largest, {0, 0}};
    curator.choose(Sensitive<Vector>(Vector{0, 1}), choice, allowance);
    return;
  }
  DiscreteGaussianNoise noise;
  noise.sensitivity = 1;
  noise.dimension = 1;
  noise.grid = make_grid(1, 1);
  noise.rho = rho;
  curator.release(Sensitive<Vector>(Vector{0}), noise, allowance);
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
    const std::size_t before = transcript.entries.size();
    try {
      draw_from(curator, allowance, share, random() % 2 == 0);
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
  std::vector<Filter> fresh;  // opening one solves for its limit
  for (const auto& [name, kind] : enum_names(FilterKind{})) fresh.push_back(Filter::open(kind, {1, 1e-5}));
  for (std::uint64_t i = 0; i < options.paths; ++i)
    worst = std::max(worst, filter_path(random, fresh[i % fresh.size()]));
  return {"ledger", "filters",      "spent over budget",
          1,        worst / kSlack, fmt::format("{} random adaptive paths through every filter", options.paths)};
}

Finding allowances(const LedgerOptions& options) {
  std::mt19937_64 random(options.seed + 1);
  BitSource bits(ReproducibleSeed{options.seed + 2});
  double worst = 0;
  for (std::uint64_t i = 0; i < options.paths; ++i) worst = std::max(worst, allowance_path(random, bits));
  return {
      "ledger", "allowances",   "drawn over charged",
      1,        worst / kSlack, fmt::format("{} random adaptive runs; no draw once the rest is short", options.paths)};
}

/// Trainings that decide by what they have drawn what they draw next: everything drawn, over what was charged.
Finding adaptive_trainings(const LedgerOptions& options) {
  std::mt19937_64 random(options.seed + 4);
  BitSource bits(ReproducibleSeed{options.seed + 5});
  const std::uint64_t runs = options.paths / 100;
  double worst = 0;
  for (std::uint64_t i = 0; i < runs; ++i) {
    TrainRequest request;
    request.problem = {Logistic{}, i % 3 == 0 ? 0 : 0.05};
    request.budget = {0.3 + static_cast<double>(i % 5), 1e-3};
    request.algorithm =
        i % 2 == 0 ? Algorithm(DpAgd{.step_candidates = 4}) : Algorithm(PrivGene{.population = 8, .parents = 2});
    const Table table = random_background(random, 9, 1);
    TableEngine engine(table);
    Transcript transcript;
    Curator curator(bits, transcript);
    train(engine, request, curator);
    double drawn = 0, charged = 0;
    for (const auto& entry : transcript.entries) drawn += tiny::add_up(tiny::read(event_text(entry.event))).rho;
    for (const Charge& charge : curator.charges()) charged += tiny::add_up(tiny::read(event_text(charge.event))).rho;
    worst = std::max(worst, drawn / charged);
  }
  return {"ledger",
          "adaptive trainings",
          "drawn over charged",
          1,
          worst / kSlack,
          fmt::format("{} runs of dp_agd and priv_gene on random rows, every draw added up", runs)};
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
  const Event parts = parallel({PureEvent{1}});
  add("trials", draws_of({parts}, [&](Curator& c) { c.open_trials(parts, Relation::replace_one); }));
  const Discovery discovery{1, Relation::replace_one, 1e-3, 4};
  add("discovery", draws_of({discovery.event()}, [&](Curator& c) {
        c.discover(Sensitive<TextCounts>(TextCounts{{"a", 9}}), discovery);
      }));
  const ObjectiveNoise objective = with_tolerance(calibrate_objective({0.01, {{1, 1}}, 10, 1}, {2, 1e-3}), 1e-3);
  add("minimiser", draws_of({objective.event()}, [&](Curator& c) {
        c.release_minimiser(objective, [&](std::span<const double>) { return one(); });
      }));
  return findings;
}

/// A ledger of its own in a temporary folder, spent at random; some entries are given back, some left open.
Finding stored(const LedgerOptions& options, FilterKind kind) {
  const TemporaryFolder folder;
  LedgerTerms terms;
  terms.filter.kind = kind;
  terms.filter.budget = {1, 1e-5, Relation::replace_one};
  terms.rows = 100;
  SqliteLedger::create(folder.file("ledger"), terms, Digest{});
  SqliteLedger ledger(folder.file("ledger"));
  std::mt19937_64 random(options.seed + 3);
  for (int refused = 0, i = 0; refused < 3 && i < 200; ++i) {
    try {
      Reservation kept = ledger.reserve({random_event(random, kind, 0.2), 0, fmt::format("{:064}", i)});
      if (random() % 4 == 0) {
        ledger.cancel(std::move(kept));
      } else if (random() % 4 > 0) {
        ledger.release(std::move(kept), "model");
      }
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::budget_exceeded) throw;
      ++refused;
    }
  }
  return audit_ledger(ledger);
}

}  // namespace

Finding audit_ledger(Ledger& ledger) {
  const Filter filter = ledger.filter();
  double worst = 0;
  std::size_t reserved = 0, voided = 0;
  std::map<std::uint64_t, double> costs;  // by entry, in units
  double total = 0;
  for (const LedgerRecord& record : ledger.records()) {
    if (record.kind == RecordKind::reserved) {
      const tiny::Totals one = tiny::add_up(tiny::read(record.detail));
      const double cost = filter.kind() == FilterKind::sum   ? one.epsilon
                          : filter.kind() == FilterKind::gdp ? one.mu_squared
                          : filter.kind() == FilterKind::rdp ? one.rho * filter.rdp_order()
                                                             : one.rho;
      costs[record.entry] = cost * static_cast<double>(Filter::kLossUnits);
      total += costs[record.entry];
      ++reserved;
    } else if (record.kind == RecordKind::voided) {
      total -= costs.extract(record.entry).mapped();
      ++voided;
    }
    // A cost is rounded up to a unit; no total is below the truth, nor more than two units an entry above it.
    const double stated = static_cast<double>(record.spent.loss);
    const double slack = 1e-12 * total + 1e-3;
    worst = std::max({worst, total - stated - slack, stated - total - slack - 2 * static_cast<double>(costs.size())});
  }
  if (total > static_cast<double>(filter.limit().loss) * kSlack) worst = HUGE_VAL;
  return {"ledger",
          fmt::format("stored ledger, {}", enum_name(filter.kind())),
          "units a total is off by",
          0,
          std::max(0.0, worst),
          fmt::format("{} entries, {} of them given back, recomputed from the text of their events", reserved, voided)};
}

std::vector<Finding> audit_ledgers(const LedgerOptions& options) {
  std::vector<Finding> findings = {filters(options), allowances(options), adaptive_trainings(options)};
  for (Finding& one : charges()) findings.push_back(std::move(one));
  for (Finding& one : audit_plans()) findings.push_back(std::move(one));
  for (const auto& [name, kind] : enum_names(FilterKind{})) findings.push_back(stored(options, kind));
  return findings;
}

}  // namespace sotto::audit
