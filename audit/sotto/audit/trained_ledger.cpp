// What: trainings through ledgers, their charges recomputed by the tiny accountant.
// Formula: of every training that left: the loss of the plan's charges, and that of what neighbours differ by, over the
//   loss of the event the ledger has; sum: delta of both at the epsilon charged over the delta charged; totals by
//   audit_ledger().
// Conditions: replace_one, as ledgers are; bits from the operating system, as a ledger takes no others; distances of
//   noise as the plan has them.
// Reference: spec 6.4, 6.5; docs/audit.md.
// Fails if wrong: LedgerReplay.*, make mutants.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/audit/ledger_replay.h"
#include "sotto/audit/replay.h"
#include "sotto/audit/replay_settings.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"

namespace sotto::audit {
namespace {

constexpr double kSlack = 1 + 1e-9;
constexpr double kDeltaRounding = 1e-13;  // of a delta by the tiny accountant
constexpr double kSampledClose = 1.02;    // to which sampled sums are recomputed

/// Rows that note whether a reservation was held when they were opened.
class PaidRows final : public RowSource {
 public:
  PaidRows(const Table& table, Ledger& ledger) : table_(table), ledger_(ledger) {}
  Facts facts(std::uint64_t) const override { return table_.facts(); }
  Digest fingerprint() const override { return {}; }
  std::unique_ptr<Engine> open() override {
    const std::vector<LedgerEntry> entries = ledger_.entries();
    paid_ = opened_++ == 0 && !entries.empty() && entries.back().state == EntryState::reserved;
    return std::make_unique<TableEngine>(table_);
  }
  Opened open_fingerprinted() override { return {open(), {}}; }
  bool opened() const { return opened_ > 0; }
  bool paid() const { return paid_; }  ///< opened once, after a charge

 private:
  const Table& table_;
  Ledger& ledger_;
  int opened_ = 0;
  bool paid_ = false;
};

/// The largest number, and where it was.
struct Worst {
  double value = 0;
  std::string where;
  void note(double seen, const std::string& name) {
    if (seen <= value) return;  // not so for a NaN
    value = std::isnan(seen) ? HUGE_VAL : seen;
    where = name;
  }
};

/// One ledger, and the trainings charged to it.
class Trainings {
 public:
  explicit Trainings(FilterKind kind) : ledger_(created(folder_.file("ledger"), kind)) {}

  /// What was planned and seen over what was charged. Nothing for a request that the ledger or the method refuses.
  std::optional<double> train(const TrainRequest& asked, const Facts& facts) {
    const Pair pair = linear_pair(facts, 0);
    PaidRows rows(pair.first, ledger_);
    try {
      sotto::train(rows, asked, bits_, {ledger_, true});
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::internal) throw;
      // A draw that is not covered is refused by the curator, when it is too late.
      if (e.kind() == ErrorKind::budget_exceeded && rows.opened()) return HUGE_VAL;
      return std::nullopt;
    }
    const LedgerEntry entry = ledger_.entries().back();
    if (!rows.paid() || entry.state != EntryState::released) return HUGE_VAL;
    const Quote quoted = quote(asked, facts, ledger_);
    const Plan& plan = quoted.plan;
    const bool sum = ledger_.filter().kind() == FilterKind::sum;
    distances_[entry.request] = sum ? 0 : plan.distance ? *plan.distance : plan.noise->distance;
    return std::max(planned(plan, entry), seen(replay({quoted.request, plan}, pair), entry));
  }
  Finding totals() { return audit_ledger(ledger_, distances_); }

 private:
  static std::string created(const std::string& path, FilterKind kind) {
    LedgerTerms terms;
    terms.filter.kind = kind;
    terms.filter.budget = {12, 0.1, Relation::replace_one};
    terms.rows = kReplayRows;
    SqliteLedger::create(path, terms, Digest{});
    return path;
  }

  double planned(const Plan& plan, const LedgerEntry& entry) {
    const std::string text = event_text(event_of(plan.charges));
    const Filter filter = ledger_.filter();
    if (filter.kind() != FilterKind::sum) {
      const double paid = loss_in(filter, tiny::read(entry.event));
      return loss_in(filter, tiny::read(text)) / paid / kSlack;
    }
    const tiny::Totals paid = tiny::add_up(tiny::read(entry.event));
    return tiny::delta_of(text, paid.epsilon, true) / (paid.delta + kDeltaRounding) /
           (is_sampled(plan) ? kSampledClose : 1 + 1e-6);
  }

  double seen(const Apart& apart, const LedgerEntry& entry) {
    if (!apart.priced) return 0;
    const tiny::Totals paid = tiny::add_up(tiny::read(entry.event));
    switch (ledger_.filter().kind()) {
      case FilterKind::sum: return apart.cost_over(paid.epsilon, paid.delta);
      case FilterKind::zcdp: return apart.cost.rho / paid.rho / kSlack;
      case FilterKind::gdp: return apart.cost.mu_squared / paid.mu_squared / kSlack;
      case FilterKind::rdp: break;  // shares of pure events have no simple divergence
    }
    return 0;
  }

  TemporaryFolder folder_;
  SqliteLedger ledger_;
  BitSource bits_;
  Distances distances_;
};

/// The settings that are replayed, a few with each loss, at a small price.
class ChargedWalk {
 public:
  std::vector<Finding> all() {
    for (const AuditedMethod& method : audited_methods()) walk(method);
    findings_.push_back({"ledger", "charged trainings", "units a total is off by", 0, totals_.value,
                         fmt::format("{} ledgers of every filter, totals recomputed from the text of their events{}",
                                     ledgers_, totals_.where)});
    return std::move(findings_);
  }

 private:
  void walk(const AuditedMethod& method) {
    Worst worst;
    std::uint64_t trainings = 0;
    std::string takers;
    const std::vector<ReplayCase> cases = cases_of(method);
    for (const auto& [name, kind] : enum_names(FilterKind{})) {
      Trainings ledger(kind);
      std::uint64_t taken = 0;
      for (const ReplayCase& one : cases) {
        const Facts facts{kReplayRows, kPairFeatures, 1.0, false, one.classes};
        const std::optional<double> over = ledger.train(one.request, facts);
        if (!over) continue;
        ++taken;
        worst.note(*over, fmt::format("; largest with {} on {}", name, one.name));
      }
      totals_.note(ledger.totals().found, fmt::format("; largest with {} of {}", method.name, name));
      ++ledgers_;
      trainings += taken;
      takers += fmt::format("{}{} {}", takers.empty() ? "" : ", ", name, taken);
    }
    if (cases.empty()) return;  // the plans say why
    const std::string subject = "charged trainings, " + method.name;
    if (trainings == 0) return findings_.push_back(not_tested("ledger", subject, "no filter takes its requests"));
    findings_.push_back({"ledger", subject, "cost over charge", 1, worst.value,
                         fmt::format("trainings by filter: {}{}", takers, worst.where)});
  }

  static std::vector<ReplayCase> cases_of(const AuditedMethod& method) {
    std::vector<ReplayCase> cases;
    std::uint64_t offset = 0;
    for (const std::string_view loss : names<Loss>()) {
      const Selection selection{make_by_name<Loss>(loss, "loss"), Relation::replace_one, 2, 1, false, offset += 2};
      for_each_case(method, selection, [&](ReplayCase one) {
        if (one.plan.charges.empty()) return;
        one.request.budget.epsilon /= 2;
        cases.push_back(std::move(one));
      });
    }
    return cases;
  }

  Worst totals_;
  std::uint64_t ledgers_ = 0;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> audit_charged_trainings() { return ChargedWalk().all(); }

}  // namespace sotto::audit
