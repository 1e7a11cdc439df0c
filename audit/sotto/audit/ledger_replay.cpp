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
#include "sotto/audit/transcript.h"
#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"
#include "sotto/train.h"

namespace sotto::audit {
namespace {

constexpr double kSlack = 1 + 1e-9;

/// Between these, evenly by their logarithm.
double spread(std::mt19937_64& random, double low, double high) {
  return low * std::exp(std::uniform_real_distribution<double>(0, std::log(high / low))(random));
}

Event random_event(std::mt19937_64& random, FilterKind kind, double largest) {
  const double x = largest * std::uniform_real_distribution<double>(0.01, 1)(random);
  if (kind == FilterKind::gdp || kind == FilterKind::rdp) return GaussianEvent{x};
  if (kind == FilterKind::sum)
    return random() % 2 == 0 ? Event(PureEvent{x}) : Event(ApproximateEvent{x, spread(random, 1e-7, 1e-6)});
  switch (random() % 3) {
    case 0: return GaussianEvent{x};
    case 1: return DiscreteGaussianEvent{x * x / 2};
    default: return ExponentialEvent{x};
  }
}

/// Of the noise drawn from its ideal law: a few of these use up what a filter keeps for them.
double random_distance(std::mt19937_64& random) { return spread(random, 1e-10, 2e-9); }

/// What a distance costs of delta.
double delta_of_distance(double epsilon, double distance) { return (1 + std::exp(epsilon)) * distance; }

/// Whether spending with these totals breaks the budget, by the tiny profiles. `numerical` is the part of delta for
/// distances, of which filters of one currency keep a thousandth.
double overspent(const Filter& filter, const tiny::Totals& totals, double numerical) {
  const auto [epsilon, delta, relation] = filter.budget();
  const double order = filter.rdp_order(), excess = order - 1;
  double told = 0;
  switch (filter.kind()) {
    case FilterKind::sum: return std::max(totals.epsilon / epsilon, (totals.delta + numerical) / delta);
    case FilterKind::gdp: told = tiny::gaussian_delta(std::sqrt(totals.mu_squared), epsilon); break;
    case FilterKind::zcdp: told = tiny::zcdp_delta(totals.rho, epsilon); break;
    case FilterKind::rdp:
      told = std::exp(excess * (order * totals.rho - epsilon) + order * std::log1p(-1 / order)) / excess;
  }
  return std::max((told + numerical) / delta, numerical / (delta / 1000));
}

/// Random requests until ten in a row were refused; what was let through, over the budget. Infinite if nothing was.
/// Half of the paths spend delta besides, small losses and all, so that it runs out first.
double filter_path(std::mt19937_64& random, const Filter& fresh) {
  Filter filter = fresh;
  tiny::Totals all;
  const bool by_delta = random() % 2 == 0;
  double numerical = 0;
  int taken = 0;
  for (int refused = 0, asked = 0; refused < 10 && asked < 2000; ++asked) {
    const double largest = random() % 4 == 0 ? 0.5 : 0.1;
    const Event event = random_event(random, filter.kind(), by_delta ? largest / 10 : largest);
    const double distance = by_delta ? random_distance(random) : 0;
    if (filter.try_spend(event, distance)) {
      all += tiny::add_up(tiny::read(event_text(event)));
      numerical += delta_of_distance(filter.budget().epsilon, distance);
      ++taken;
      refused = 0;
    } else {
      ++refused;
    }
  }
  return taken > 0 ? overspent(filter, all, numerical) : HUGE_VAL;
}

/// One draw that costs so much of the allowance, by a choice or by a release.
class Draw {
 public:
  Draw(bool pure, bool by_choice) : pure_(pure), by_choice_(by_choice) {}
  void from(Curator& curator, Allowance& allowance, double cost) const {
    if (by_choice_) {
      const Choice choice{1, pure_ ? cost : std::sqrt(8 * cost), Aim::largest, {0, 0}};
      curator.choose(Sensitive<Vector>(Vector{0, 1}), choice, allowance);
    } else if (pure_) {
      auto noise = on_grid<DiscreteLaplaceNoise>();
      noise.epsilon = cost;
      curator.release(Sensitive<Vector>(Vector{0}), noise, allowance);
    } else {
      auto noise = on_grid<DiscreteGaussianNoise>();
      noise.rho = cost;
      curator.release(Sensitive<Vector>(Vector{0}), noise, allowance);
    }
  }

 private:
  template <class Noise>
  static Noise on_grid() {
    Noise noise;
    noise.sensitivity = 1;
    noise.dimension = 1;
    noise.grid = make_grid(1, 1);
    return noise;
  }
  bool pure_, by_choice_;
};

/// An adaptive run: choices and releases as long as the allowance lasts, asked for without asking first. Returns what
/// was drawn over what was charged; infinite if nothing was, or if a refused draw left a trace.
double allowance_path(std::mt19937_64& random, BitSource& bits, bool pure) {
  Transcript transcript;
  NotingDrawer drawer(bits, transcript);
  Curator curator(drawer);
  constexpr double kWhole = 0.1;
  const Event whole = pure ? Event(PureEvent{kWhole}) : Event(ZcdpEvent{kWhole});
  curator.charge({whole});
  Allowance allowance = curator.open_allowance(whole);
  double spent = 0;
  for (int refused = 0, asked = 0; refused < 3 && asked < 200; ++asked) {
    const double share = kWhole * std::uniform_real_distribution<double>(0.02, 0.6)(random);
    const std::size_t before = transcript.entries.size();
    try {
      Draw(pure, random() % 2 == 0).from(curator, allowance, share);
      const tiny::Totals one = tiny::add_up(tiny::read(event_text(transcript.entries.back().event)));
      spent += pure ? one.epsilon : one.rho;
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::budget_exceeded) throw;
      ++refused;
      if (transcript.entries.size() != before) return HUGE_VAL;
    }
  }
  return spent > 0 ? spent / kWhole : HUGE_VAL;
}

Finding filters(const LedgerOptions& options) {
  std::mt19937_64 random(options.seed);
  double worst = 0;
  std::vector<Filter> fresh;  // opening one solves for its limit
  for (const auto& [name, kind] : enum_names(FilterKind{})) fresh.push_back(Filter::open(kind, {1, 1e-5}));
  for (std::uint64_t i = 0; i < options.paths; ++i)
    worst = std::max(worst, filter_path(random, fresh[i % fresh.size()]));
  return {
      "ledger",
      "filters",
      "spent over budget",
      1,
      worst / kSlack,
      fmt::format("{} random adaptive paths through every filter, until epsilon or delta was short", options.paths)};
}

Finding allowances(const LedgerOptions& options) {
  std::mt19937_64 random(options.seed + 1);
  BitSource bits(ReproducibleSeed{options.seed + 2});
  double worst = 0;
  for (std::uint64_t i = 0; i < options.paths; ++i) worst = std::max(worst, allowance_path(random, bits, i % 2 == 1));
  return {"ledger",
          "allowances",
          "drawn over charged",
          1,
          worst / kSlack,
          fmt::format("{} random adaptive runs of rho and of epsilon; no draw once the rest is short", options.paths)};
}

/// Trainings that decide by what they have drawn what they draw next: everything drawn, over what was charged.
Finding adaptive_trainings(const LedgerOptions& options) {
  std::mt19937_64 random(options.seed + 4);
  BitSource bits(ReproducibleSeed{options.seed + 5});
  const std::uint64_t runs = std::max<std::uint64_t>(options.paths / 100, 2);
  double worst = 0, all = 0;
  for (std::uint64_t i = 0; i < runs; ++i) {
    TrainRequest request;
    request.problem = {Logistic{}, i % 3 == 0 ? 0 : 0.05};
    request.budget = {0.3 + static_cast<double>(i % 5), 1e-3};
    request.method = i % 2 == 0 ? Method(DpAgd{.step_candidates = 4}) : Method(PrivGene{.population = 8, .parents = 2});
    const Table table = random_background(random, 9, 1);
    TableEngine engine(table);
    Transcript transcript;
    NotingDrawer drawer(bits, transcript);
    Curator curator(drawer);
    train(engine, request, curator);
    double drawn = 0, charged = 0;
    for (const auto& entry : transcript.entries) drawn += tiny::add_up(tiny::read(event_text(entry.event))).rho;
    for (const Charge& charge : curator.charges()) charged += tiny::add_up(tiny::read(event_text(charge.event))).rho;
    worst = std::max(worst, drawn / charged);
    all += drawn;
  }
  return {"ledger",
          "adaptive trainings",
          "drawn over charged",
          1,
          all > 0 ? worst / kSlack : HUGE_VAL,
          fmt::format("{} runs of dp_agd and priv_gene on random rows, every draw added up", runs)};
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
  Distances distances;
  for (int refused = 0, i = 0; refused < 3 && i < 200; ++i) {
    try {
      const std::string request = fmt::format("{:064}", i);
      distances[request] = random_distance(random);
      Reservation kept = ledger.reserve({random_event(random, kind, 0.05), distances[request], request});
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
  return audit_ledger(ledger, distances);
}

}  // namespace

double loss_in(const Filter& filter, const std::vector<tiny::Line>& lines) {
  const tiny::Totals all = tiny::add_up(lines);
  switch (filter.kind()) {
    case FilterKind::sum: return all.epsilon;
    case FilterKind::zcdp: return all.rho;
    case FilterKind::gdp: return all.mu_squared;
    case FilterKind::rdp: break;
  }
  return tiny::divergence(lines, filter.rdp_order(), filter.budget().relation == Relation::replace_one);
}

namespace {

/// What the entries that were not given back cost, in units, by the tiny accountant.
class EntrySum {
 public:
  EntrySum(const Filter& filter, const Distances& distances) : filter_(filter), distances_(distances) {}

  void reserve(const LedgerRecord& record) {
    const std::vector<tiny::Line> lines = tiny::read(record.detail);
    const bool sum = filter_.kind() == FilterKind::sum;
    const bool selected = filter_.kind() == FilterKind::rdp && lines.size() == 1 && lines.front().name == "selection";
    const bool replaced = filter_.budget().relation == Relation::replace_one;
    double loss =
        selected ? tiny::selection_divergence(record.detail, filter_.rdp_order(), replaced) : loss_in(filter_, lines);
    loss *= static_cast<double>(Filter::kLossUnits);
    // The divergence of these has no closed form: a record states it, and it is at least this, or about this.
    const bool bounded = selected || std::any_of(lines.begin(), lines.end(), is_bounded);
    if (filter_.kind() == FilterKind::rdp && bounded)
      loss = std::max(static_cast<double>(record.cost.loss), loss * (1 - (selected ? 1e-2 : 1e-6)));
    loss = std::max(loss, std::ceil(static_cast<double>(filter_.limit().loss) / 1e4));  // the least a release costs
    const double of_event = sum ? tiny::add_up(lines).delta * static_cast<double>(Filter::kDeltaUnits) : 0;
    const auto known = distances_.find(record.request);
    // A record states the cost of its distance and not the distance: where that is not known, it is at least 0.
    const double stated = static_cast<double>(record.cost.delta);
    const double delta = known == distances_.end()
                             ? std::max(stated, of_event)
                             : of_event + delta_of_distance(filter_.budget().epsilon, known->second) *
                                              static_cast<double>(Filter::kDeltaUnits);
    costs_[record.entry] = {loss, delta};
    loss_ += costs_[record.entry].first;
    delta_ += delta;
  }
  void give_back(const LedgerRecord& record) {
    const auto [loss, delta] = costs_.extract(record.entry).mapped();
    loss_ -= loss;
    delta_ -= delta;
  }
  /// The units by which what a record states is off, beyond rounding.
  double gap(const Filter::Cost& spent) const {
    return std::max(gap(loss_, static_cast<double>(spent.loss)), gap(delta_, static_cast<double>(spent.delta)));
  }
  bool within(const Filter::Cost& limit) const {
    return loss_ <= static_cast<double>(limit.loss) * kSlack && delta_ <= static_cast<double>(limit.delta) * kSlack;
  }

 private:
  static bool is_bounded(const tiny::Line& line) { return line.name == "poisson_sampled" || line.name == "objective"; }
  // A cost is rounded up to a unit; no total is below the truth, nor more than three units an entry above it, or as
  // many parts in 10^12, by which the library's divergences are rounded up.
  double gap(double total, double stated) const {
    const double slack = 1e-12 * total + 1e-3;
    const double above = 3 * (static_cast<double>(costs_.size()) + 1e-12 * total);
    return std::max(total - stated, stated - total - above) - slack;
  }
  const Filter& filter_;
  const Distances& distances_;
  std::map<std::uint64_t, std::pair<double, double>> costs_;  // by entry: loss and delta
  double loss_ = 0, delta_ = 0;
};

}  // namespace

Finding audit_ledger(Ledger& ledger, const Distances& distances) {
  const Filter filter = ledger.filter();
  EntrySum sum(filter, distances);
  double worst = 0;
  std::size_t reserved = 0, voided = 0;
  for (const LedgerRecord& record : ledger.records()) {
    if (record.kind == RecordKind::reserved) {
      sum.reserve(record);
      ++reserved;
    } else if (record.kind == RecordKind::voided) {
      sum.give_back(record);
      ++voided;
    }
    worst = std::max(worst, sum.gap(record.spent));
  }
  if (!sum.within(filter.limit())) worst = HUGE_VAL;
  return {"ledger",
          fmt::format("stored ledger, {}", enum_name(filter.kind())),
          "units a total is off by",
          0,
          worst,
          fmt::format("{} entries, {} of them given back, recomputed from the text of their events", reserved, voided)};
}

std::vector<Finding> audit_ledgers(const LedgerOptions& options) {
  std::vector<Finding> findings = {filters(options), allowances(options), adaptive_trainings(options)};
  for (Finding& one : audit_charges()) findings.push_back(std::move(one));
  for (Finding& one : audit_plans()) findings.push_back(std::move(one));
  for (const auto& [name, kind] : enum_names(FilterKind{})) findings.push_back(stored(options, kind));
  for (Finding& one : audit_charged_trainings()) findings.push_back(std::move(one));
  return findings;
}

}  // namespace sotto::audit
