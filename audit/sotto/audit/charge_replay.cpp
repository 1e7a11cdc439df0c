// What: draws counted against charges.
// Formula: what is charged once is drawn once; a run inside a release has no more than its part; sums beyond those
//   charged for are zeros, a batch is noised once; a filter is charged what a plan promises, or its events; parts by
//   position have no price where a row is removed.
// Conditions: every way of the curator to draw is listed here.
// Reference: spec 6.4, 6.5; docs/audit.md.
// Fails if wrong: LedgerReplay.*, make mutants.
#include <fmt/format.h>

#include <cmath>

#include "sotto/audit/ledger_replay.h"
#include "sotto/audit/tiny_accountant.h"
#include "sotto/base/error.h"
#include "sotto/privacy/accountant/report.h"
#include "sotto/privacy/curator.h"
#include "sotto/privacy/ledger/price.h"

namespace sotto::audit {
namespace {

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
std::vector<Finding> draws() {
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
  add("release", draws_of(noise.charge(), [&](Curator& c) { c.release(one(), noise.mechanism); }));
  add("choice", draws_of({choice.event()}, [&](Curator& c) { c.choose(Sensitive<Vector>(Vector{0, 1}), choice); }));
  add("sampled batch", draws_of({sampled.event()}, [&](Curator& c) { c.draw_batch(sampled, 10); }));
  add("batch sums", draws_of(noise.charge(), [&](Curator& c) { c.step_noise(noise.mechanism, 1); }));
  add("joint noise", draws_of({joint.event()}, [&](Curator& c) { c.joint_noise(joint); }));
  add("allowance", draws_of({ZcdpEvent{1}}, [&](Curator& c) { c.open_allowance(ZcdpEvent{1}); }));
  const Event parts = parallel({PureEvent{1}}, PartBy::position);
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

Finding counted(const char* what, const char* quantity, double claim, double found, std::string evidence) {
  return {"ledger", what, quantity, claim, found, std::move(evidence)};
}

/// A run inside a release that asks for twice its part.
Finding inner_run() {
  const Calibrated noise = calibrate(MechanismChoice::l2_laplace, {1, 1, 1, 1}, {2});
  const auto drawn_of = [&](double part) {
    BitSource bits(ReproducibleSeed{5});
    Curator curator(bits);
    const Event parts = parallel({PureEvent{part}}, PartBy::position);
    curator.charge({parts});
    Trials trials = curator.open_trials(parts, Relation::replace_one);
    Curator inner = trials.next();
    inner.charge(noise.charge());
    try {
      inner.release(Sensitive<Vector>(Vector{0.5}), noise.mechanism);
      return 1;
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::budget_exceeded) throw;
      return 0;
    }
  };
  return counted("run inside a release", "draws beyond its part", 0, drawn_of(1), "asked for twice what was charged");
}

/// Of three sums whose noise was charged once, those that came back with anything of their own.
Finding sums_of_one_charge() {
  const Calibrated noise = calibrate(MechanismChoice::gaussian, {1, 1, 1, 1}, {1, 1e-3});
  BitSource bits(ReproducibleSeed{5});
  Curator curator(bits);
  curator.charge(noise.charge());
  NoisySums sums = curator.step_noise(noise.mechanism, {1, 1});
  double told = 0;
  for (int i = 0; i < 3; ++i) {
    Vector sum{1e6};
    sums.perturb(sum);
    told += sum[0] != 0;
  }
  return counted("batch sums beyond the charge", "sums of one charge", 1, told == 1 ? 1 : HUGE_VAL,
                 fmt::format("{:.0f} of three told anything", told));
}

/// How often the sum of one sampled batch could be noised.
Finding batches_noised_twice() {
  const Calibrated noise = calibrate(MechanismChoice::gaussian, {1, 1, 1, 1}, {1, 1e-3});
  const SampledGaussian law{std::get<GaussianNoise>(noise.mechanism), 0.5};
  BitSource bits(ReproducibleSeed{5});
  Curator curator(bits);
  curator.charge({law.event()});
  PoissonBatch batch = curator.draw_batch(law, 10);
  double released = 0;
  try {
    // A batch that was given away already is what is tried here.
    // NOLINTNEXTLINE(bugprone-use-after-move)
    for (; released < 3; ++released) curator.release(Sensitive<Vector>(Vector{0.5}), std::move(batch));
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::internal) throw;
  }
  return counted("sampled batch noised again", "releases of one batch", 1, released == 1 ? 1 : HUGE_VAL,
                 fmt::format("{:.0f} before it was refused", released));
}

/// What a filter is charged for a plan, under what the tiny accountant reads in its charges.
std::vector<Finding> prices() {
  const Calibrated noise = calibrate(MechanismChoice::gaussian, {1, 1, 4, 1}, {1, 1e-3});
  const Charge charge = noise.charge();
  const PlannedCost cost{{&charge, 1}, noise.epsilon, noise.delta, noise.distance};
  const tiny::Totals all = tiny::add_up(tiny::read(event_text(event_of(cost.charges))));
  std::vector<Finding> findings;
  for (const auto& [name, kind] : enum_names(FilterKind{})) {
    const Filter filter = Filter::open(kind, {10, 1e-2});
    const Price price = price_of(cost, filter);
    const tiny::Totals charged = tiny::add_up(tiny::read(event_text(price.event)));
    const double missing = kind == FilterKind::sum
                               ? std::max(noise.epsilon / charged.epsilon, noise.delta / charged.delta)
                               : std::max(all.rho / charged.rho, price.distance >= noise.distance ? 0.0 : HUGE_VAL);
    findings.push_back(counted("price of a run", "cost over price", 1, missing / (1 + 1e-9),
                               fmt::format("four Gaussian releases, {} filter", name)));
  }
  return findings;
}

/// Whether a question has an answer, which for parts by position it must not have where a row is removed: the rows
/// behind it move to other parts.
template <class Question>
bool is_answered(const Question& question) {
  try {
    question();
    return true;
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::unsupported) throw;
    return false;
  }
}

Finding parts_by_position() {
  constexpr Relation kRemoved = Relation::add_remove;
  int answers = 0, asked = 0;
  for (const Event& part : {Event(GaussianEvent{0.1}), Event(PureEvent{0.1})}) {
    const Event parts = parallel(std::vector<Event>(50, part), PartBy::position);
    for (const auto& [name, only] : enum_names(AccountantChoice{})) {
      answers += is_answered([&, by = only] { account_epsilon(parts, kRemoved, 1e-6, by); });
      answers += is_answered([&, by = only] { account_delta(parts, kRemoved, 1, by); });
      asked += 2;
    }
    for (const auto& [name, kind] : enum_names(FilterKind{})) {
      const Filter filter = Filter::open(kind, {10, 1e-2, kRemoved});
      answers += is_answered([&] { filter.cost_of(parts); });
      ++asked;
    }
  }
  const auto shape = [](Relation relation) { calibrate(MechanismChoice::gaussian, {1, 1, 1, 2}, {1, 1e-3, relation}); };
  answers += is_answered([&] { shape(kRemoved); });
  return counted("parts by position, add_remove", "answers", 0, answers,
                 fmt::format("fifty equal parts, {} questions to accountants, filters and a calibration", asked + 1));
}

}  // namespace

std::vector<Finding> audit_charges() {
  std::vector<Finding> findings = draws();
  for (Finding& one : prices()) findings.push_back(std::move(one));
  findings.push_back(inner_run());
  findings.push_back(sums_of_one_charge());
  findings.push_back(batches_noised_twice());
  findings.push_back(parts_by_position());
  return findings;
}

}  // namespace sotto::audit
