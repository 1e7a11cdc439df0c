// The audit's own arithmetic: bounds that cover, an accountant that agrees with the library's, guesses that count.
#include "sotto/audit/audit.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "sotto/audit/batch_coins.h"
#include "sotto/audit/ledger_replay.h"
#include "sotto/audit/museum.h"
#include "sotto/audit/one_run.h"
#include "sotto/audit/pipeline.h"
#include "sotto/audit/replay.h"
#include "sotto/audit/replay_settings.h"
#include "sotto/audit/samplers.h"
#include "sotto/audit/tiny_accountant.h"
#include "sotto/audit/trade_off.h"
#include "sotto/base/error.h"
#include "sotto/privacy/accountant/pld.h"
#include "sotto/privacy/accountant/rdp.h"
#include "sotto/privacy/accountant/report.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"

namespace sotto::audit {
namespace {

TEST(Evidence, LowerBoundsCoverTheTruthAsOftenAsTheySay) {
  std::mt19937_64 random(5);
  const double p = 0.5, q = 0.5 * std::exp(-1.0);  // epsilon 1 exactly
  std::binomial_distribution<int> first(500, p), second(500, q);
  int wrong = 0;
  for (int i = 0; i < 2000; ++i) {
    const Tally tally{500, static_cast<double>(first(random)), static_cast<double>(second(random))};
    wrong += epsilon_lower(tally, 0, 0.05) > 1;
  }
  EXPECT_LE(wrong, 100);
}

TEST(Evidence, ManyGamesComeCloseToTheTruth) {
  const Tally tally{1e6, 5e5, 5e5 * std::exp(-1.0)};
  EXPECT_GT(epsilon_lower(tally, 0, 1e-3), 0.98);
  EXPECT_LT(epsilon_lower(tally, 0, 1e-3), 1);
  const Tally normal{1e6, 1e6 * 0.5 * std::erfc(-0.5 / std::sqrt(2.0)), 1e6 * 0.5 * std::erfc(0.5 / std::sqrt(2.0))};
  EXPECT_GT(mu_lower(normal, 1e-3), 0.98);
  EXPECT_LT(mu_lower(normal, 1e-3), 1);
}

TEST(Evidence, NothingSeenProvesNothing) {
  EXPECT_EQ(epsilon_lower({100, 0, 0}, 0, 0.01), 0);
  EXPECT_EQ(epsilon_lower({100, 50, 50}, 0, 0.01), 0);
  EXPECT_EQ(mu_lower({100, 100, 100}, 0.01), 0);
}

TEST(OneRun, GuessesThatAreAllRightProveWhatTheCountAllows) {
  // r right guesses have chance (e^eps / (1 + e^eps))^r.
  const double epsilon = one_run_epsilon({100, 50, 50}, 0, 1e-3);
  EXPECT_NEAR(std::pow(1 / (1 + std::exp(-epsilon)), 50), 1e-3, 1e-6);
  EXPECT_EQ(one_run_epsilon({100, 50, 25}, 0, 1e-3), 0);
  EXPECT_LT(one_run_epsilon({100, 50, 50}, 1e-6, 1e-3), epsilon);
}

TEST(OneRun, AQuarterOfTheNoiseIsToldAndTheTrueNoiseIsNot) {
  constexpr std::uint32_t kCanaries = 10000;
  constexpr double kClaim = 3, kDelta = 1e-9;
  double low = kClaim, high = 100;  // the epsilon of a quarter of the noise
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (gaussian_mu(middle, kDelta) < 4 * gaussian_mu(kClaim, kDelta) ? low : high) = middle;
  }
  TrainRequest request;
  request.problem = {HuberSvm{0.1}, 0.05};
  for (const Method& method :
       {Method(BoltOn{.sgd = {.passes = 1, .batch_rows = kCanaries}}),
        Method(Scs13{.sgd = {.passes = 1, .batch_rows = kCanaries}, .mechanism = MechanismChoice::gaussian}),
        Method(Output{.mechanism = MechanismChoice::gaussian}), Method(Dpgd{.passes = 1})}) {
    request.method = method;
    for (const std::uint64_t seed : {1U, 2U}) {
      request.budget = {kClaim, kDelta};
      const Facts facts{kCanaries, kCanaries, 0.05, false};
      EXPECT_TRUE(one_run(request, facts, {.seed = seed}).holds()) << name_of(method);
      request.budget.epsilon = high;
      const Finding loud = one_run(request, facts, {.seed = seed});
      EXPECT_TRUE(loud.holds()) << name_of(method);
      EXPECT_GT(loud.found, kClaim) << name_of(method) << ": " << loud.evidence;
    }
  }
}

TEST(TinyAccountant, ReadsEveryEventAPlanChargesAndAgreesWithTheLibrary) {
  const auto totals = tiny::add_up(tiny::read("sequence(3 x gaussian(mu=0.5), pure(epsilon=0.25))"));
  EXPECT_DOUBLE_EQ(totals.rho, 3 * 0.125 + 0.03125);
  EXPECT_TRUE(std::isinf(totals.mu_squared));
  EXPECT_NEAR(tiny::gaussian_delta(1, 1), gaussian_delta(1, 1), 1e-12);
  // Closer than what a replay forgives, at small deltas too: a promise kept to the last digit must not seem broken.
  for (const double rho : {1e-4, 0.01, 0.1, 5.0}) {
    for (const double epsilon : {0.05, 1.0, 20.0, 40.0}) {
      const double truth = zcdp_delta(rho, epsilon);
      if (truth < 1e-300) continue;
      EXPECT_NEAR(tiny::zcdp_delta(rho, epsilon) / truth, 1, 1e-7) << rho << " " << epsilon;
    }
  }
  const Event steps = repeat(PoissonSampledEvent{0.2, 1.0}, 4);
  const double library = pld_delta(steps, Relation::replace_one, 1).upper;
  EXPECT_NEAR(tiny::sampled_delta({0.2, 1.0, 4, true}, 1), library, 0.01 * library);
}

TEST(TinyAccountant, AgreesAboutSelectionsAndParts) {
  const Event best = select_best(ZcdpEvent{0.01}, PoissonRuns{10});
  const double epsilon = rdp_epsilon(best, Relation::replace_one, 1e-5).value;
  EXPECT_NEAR(tiny::delta_of(event_text(best), epsilon, true), 1e-5, 1e-6);
  EXPECT_NEAR(tiny::selection_delta(0.01, 10, epsilon), 1e-5, 1e-6);
  const Event score = DiscreteGaussianEvent{0.001};
  const Event objective = ObjectiveEvent{1, 0.01, 0.004, {{0.12, 1}, {0.06, 2}}};
  const Event sampled = repeat(PoissonSampledEvent{0.2, 4}, 10);
  for (const Event& run : {one_of({ZcdpEvent{0.01}, ZcdpEvent{0.02}}), sequence({objective, score}),
                           sequence({sampled, score}), one_of({sequence({objective, score}), ZcdpEvent{0.001}}),
                           one_of({ZcdpEvent{0.005}, sequence({objective, score}), sequence({sampled, score})})}) {
    const Event chosen = select_best(run, PoissonRuns{10});
    const double promised = rdp_epsilon(chosen, Relation::replace_one, 1e-5).value;
    // The library's orders are fewer: it promises a little less than it could.
    const double told = tiny::delta_of(event_text(chosen), promised, true) / 1e-5;
    EXPECT_LE(told, 1.005) << event_text(chosen);
    EXPECT_GE(told, 0.94) << event_text(chosen);
    const double divergence = rdp_of(chosen, Relation::replace_one, 12);
    EXPECT_NEAR(tiny::selection_divergence(event_text(chosen), 12, true) / divergence, 1, 0.01) << event_text(chosen);
  }
  const Event added = select_best(sequence({sampled, score}), PoissonRuns{10});
  const double promised = rdp_epsilon(added, Relation::add_remove, 1e-5).value;
  EXPECT_NEAR(tiny::delta_of(event_text(added), promised, false) / 1e-5, 1, 0.02);
  EXPECT_TRUE(std::isinf(tiny::selection_divergence("pure(epsilon=1)", 12, true)));
  const Event either = one_of({GaussianEvent{0.5}, GaussianEvent{1}});
  EXPECT_NEAR(tiny::delta_of(event_text(either), 1, true), gaussian_delta(1, 1), 1e-12);
  const std::vector<Event> parts = {GaussianEvent{0.5}, GaussianEvent{1}, PureEvent{0.1}};
  const auto delta_by = [&](PartBy by, bool replaced) {
    return tiny::delta_of(event_text(parallel(parts, by)), 1, replaced);
  };
  EXPECT_NEAR(delta_by(PartBy::position, true), gaussian_delta(1, 1), 1e-12);
  EXPECT_TRUE(std::isinf(delta_by(PartBy::position, false))) << "the rows behind a removed row change their parts";
  for (const bool replaced : {true, false}) EXPECT_NEAR(delta_by(PartBy::key, replaced), gaussian_delta(1, 1), 1e-12);
  EXPECT_NEAR(delta_by(PartBy::value, false), gaussian_delta(1, 1), 1e-12);
  EXPECT_NEAR(delta_by(PartBy::value, true), gaussian_delta(2, 1), 1e-12) << "the dearest part twice over";
  const Event pure = parallel({PureEvent{0.2}, PureEvent{0.3}}, PartBy::value);
  EXPECT_EQ(tiny::delta_of(event_text(pure), 0.6, true), 0);
  EXPECT_GT(tiny::delta_of(event_text(pure), 0.59, true), 0) << "as two of the dearest";
  const Event two = parallel({GaussianEvent{0.4}, PureEvent{0.9}}, PartBy::value);
  const double library = account_delta(two, Relation::replace_one, 0.7).value.upper;
  EXPECT_GE(tiny::delta_of(event_text(two), 0.7, true), library) << "it adds up more coarsely";
  const Event mixed = sequence({PureEvent{0.25}, PureEvent{0.5}});
  EXPECT_EQ(tiny::delta_of(event_text(mixed), 0.75, true), 0);
  EXPECT_GT(tiny::delta_of(event_text(mixed), 0.5, true), 0);
}

TEST(TinyAccountant, PureReleasesTakeTheirEpsilonOffAndGaussianOnesHaveTheRest) {
  const double library = pld_delta(sequence({PureEvent{5.6}, GaussianEvent{0.8}}), Relation::replace_one, 8).lower;
  const double mixed = tiny::delta_of("sequence(pure(epsilon=5.6), gaussian(mu=0.8))", 8, true);
  EXPECT_NEAR(mixed, gaussian_delta(0.8, 8 - 5.6), 1e-12);
  EXPECT_GE(mixed, library);
}

TEST(TinyAccountant, AgreesAboutTheDivergenceOfEveryEventATrainingCharges) {
  const auto tiny_of = [](const Event& event, double order, Relation relation) {
    return tiny::divergence(tiny::read(event_text(event)), order, relation == Relation::replace_one);
  };
  const Relation any = Relation::replace_one;
  for (const double order : {1.5, 8.0, 64.0}) {
    for (const double x : {0.01, 0.4, 3.0}) {
      for (const Event& event : {Event(PureEvent{x}), Event(L2LaplaceEvent{x}), Event(GaussianEvent{x}),
                                 Event(ZcdpEvent{x}), Event(ExponentialEvent{x})}) {
        const double library = rdp_of(event, any, order);
        EXPECT_NEAR(tiny_of(event, order, any) / library, 1, 1e-10) << event_text(event) << " " << order;
      }
    }
    for (const Relation relation : {Relation::replace_one, Relation::add_remove}) {
      const Event sampled = repeat(PoissonSampledEvent{0.2, 1.3}, 3);
      EXPECT_NEAR(tiny_of(sampled, order, relation) / rdp_of(sampled, relation, order), 1, 1e-6) << order;
    }
    const Event objective = ObjectiveEvent{1, 0.1, 0.05, {{0.4, 2}, {0.2, 1}}};
    EXPECT_LE(tiny_of(objective, order, any), rdp_of(objective, any, order)) << order;
    EXPECT_GT(tiny_of(objective, order, any), rdp_of(objective, any, order) / 20) << order;
  }
  EXPECT_TRUE(std::isinf(tiny::divergence(tiny::read("nonsense"), 2, true)));
}

TEST(TinyAccountant, WhatItCannotReadHasNoPrice) {
  EXPECT_TRUE(std::isinf(tiny::delta_of("nonsense", 1, true)));
  EXPECT_TRUE(std::isinf(tiny::delta_of("sequence(gaussian(mu=1), poisson_sampled(noise=1, rate=0.5))", 1, true)));
}

TEST(TradeOff, PromisesWhatTheClaimAllows) {
  EXPECT_DOUBLE_EQ((TradeOff{"", std::log(3.0), 0, 0}.promised(0.25)), 0.25);
  EXPECT_NEAR((TradeOff{"", 0, 0, 1}.promised(0.5)), 0.15865525393145707, 1e-12);
  const std::string svg = trade_off_svg({"title", 1, 0, 0}, {{1, 2, 3}, {0, 1, 2}});
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_NE(svg.find("title"), std::string::npos);
}

TEST(Samplers, TheAttackOnTheLowBitsIsCertainUnderTheTextbookSampler) {
  const LowBitsAttack attack;
  std::mt19937_64 random(71);
  double certain = 0, wrong = 0;
  for (int i = 0; i < 2000; ++i) {
    const double uniform = static_cast<double>((random() >> 11U) | 1U) * 0x1p-53;
    const double y = (random() % 2 == 0 ? 1 : -1) * (-std::log(uniform) / attack.epsilon);
    certain += attack.verdict(y) > 0;
    wrong += attack.verdict(y) < 0;
  }
  EXPECT_GT(certain, 500);
  EXPECT_EQ(wrong, 0);
}

TEST(Samplers, CoinsOfSampledBatchesAreTriedInEveryWayTheyAreDrawn) {
  BitSource bits(ReproducibleSeed{3});
  const std::vector<Finding> findings = audit_batch_coins(20000, bits);
  std::set<std::string> ways;
  for (const Finding& one : findings) {
    EXPECT_TRUE(one.holds()) << one.subject << ", " << one.evidence << ": " << one.found;
    ways.insert(one.subject);
  }
  EXPECT_EQ(ways.size(), 3U);
}

TEST(Samplers, ForksThatFailedAreNotCounted) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizers look at memory through a pipe, which they do not get either";
#endif
  rlimit files{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
  const rlimit none{0, files.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);  // no pipe to a child
  const std::vector<Finding> findings = audit_samplers(10, 1);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &files), 0);
  const auto told = std::ranges::find(findings, "bit source", &Finding::subject);
  ASSERT_NE(told, findings.end());
  EXPECT_NE(told->evidence.find(" 0 of them in forked processes"), std::string::npos) << told->evidence;
  const auto untested = std::ranges::find(findings, "bit source, forked", &Finding::subject);
  EXPECT_TRUE(untested != findings.end() && !untested->made);
}

TEST(Replay, AHalvedClaimIsExceededAndTheRightOneIsReached) {
  TrainRequest request;
  request.problem = {HuberSvm{0.1}, 0.05};
  request.budget = {.epsilon = 1};
  request.method = BoltOn{.sgd = {.passes = 2, .batch_rows = 4, .order = RowOrder::stored}};
  const Pair pair = linear_pair(linear_facts(9), 8);
  const Plan plan = make_plan(request.method, {pair.first.facts(), request.problem, request.budget});
  const Apart apart = replay({request, plan}, pair);
  EXPECT_LE(apart.worst(), 1);
  EXPECT_GE(apart.ratio, 0.99);
  EXPECT_TRUE(apart.same_path && apart.same_end);
}

TEST(Replay, TheJacobianIsReachedByTheRowThatIsMostCurvedAndOneOfHalfIsExceeded) {
  const Pair lone = adversarial_pairs(9, 8, 1, 3)[3], margins = adversarial_pairs(9, 8, 1)[3];
  ASSERT_EQ(lone.name, "lone row");
  for (const Loss& loss : {Loss(Logistic{}), Loss(Softmax{})}) {
    const Pair& pair = std::holds_alternative<Softmax>(loss) ? lone : margins;
    for (const double delta : {0.0, 1e-3}) {
      TrainRequest request;
      request.problem = {loss, 0.5};
      request.budget = {2, delta};
      request.method = Objective{};
      const Plan plan = make_plan(request.method, {pair.first.facts(), request.problem, request.budget});
      const Apart apart = replay({request, plan}, pair);
      EXPECT_LE(apart.worst(), 1);
      EXPECT_GE(apart.jacobian, 0.999) << name_of(loss) << ' ' << delta;
    }
  }
}

TEST(Replay, EveryEngineFeedsRowsClippedToTheirBound) {
  const Pair pair = adversarial_pairs(9, 8, 1)[4];  // long rows
  ASSERT_EQ(pair.name, "long rows");
  TrainRequest request;
  request.problem = {Logistic{}, 0.05};
  request.budget = {.epsilon = 1};
  request.method = BoltOn{.sgd = {.passes = 2, .batch_rows = 4}};
  request.order_seed = 3;
  const Plan plan = make_plan(request.method, {pair.first.facts(), request.problem, request.budget});
  for (const Feeder feeder : {Feeder::in_memory, Feeder::out_of_core}) {
    const StoredPair stored(pair, feeder);
    const Replay how{request, plan, {}, 1, &stored};
    const Apart apart = replay(how, pair);
    EXPECT_LE(apart.worst(), 1);
    EXPECT_GT(apart.worst(), 0);
    EXPECT_LE(apart.cost_over(1, 0), 1);
    EXPECT_TRUE(same_unnoted(how, pair));
  }
}

TEST(Replay, ARemovedRowIsWithinItsClaimUnderAddRemoveAlone) {
  const Pair pair = linear_removal(linear_facts(9));
  TrainRequest request;
  request.problem = {HuberSvm{0.1}, 0.05};
  request.budget = {1, 0, Relation::add_remove};
  request.method = Output{.declared_rows = 9};
  const Plan plan = make_plan(request.method, {pair.first.facts(), request.problem, request.budget});
  const Apart apart = replay({request, plan}, pair);
  EXPECT_LE(apart.worst(), 1);
  EXPECT_GE(apart.ratio, 0.99);
  request.method = BoltOn{};
  EXPECT_THROW(make_plan(request.method, {pair.first.facts(), request.problem, request.budget}), Error);
}

TEST(Replay, CostsOfAllPassesAddUp) {
  TrainRequest request;
  request.problem = {HuberSvm{0.1}, 0};
  request.budget = {.epsilon = 1};
  request.method = Scs13{.sgd = {.passes = 5, .batch_rows = 9, .order = RowOrder::stored}};
  const Pair pair = linear_pair(linear_facts(9), 0);
  const Plan plan = make_plan(request.method, {pair.first.facts(), request.problem, request.budget});
  const Apart apart = replay({request, plan}, pair);
  EXPECT_NEAR(apart.cost_over(1, 0), 1, 1e-3);
  EXPECT_GT(apart.cost_over(0.5, 0), 1.9);  // noise for half as much would not do
}

/// The values that were met of every declared number, by its owner and name.
using ValuesMet = std::map<std::string, std::set<double>>;

/// The numbers of `object`, each with its value or, where only declarations are asked for, with none; then the members
/// of closed sets are all of them.
template <class T>
void note_numbers(const std::string& owner, const T& object, bool declared_alone, ValuesMet& met) {
  for_each_field(object, [&](std::string_view name, const auto& value, std::string_view) {
    using Value = std::remove_cvref_t<decltype(value)>;
    const auto inner = [&](const auto& member) {
      note_numbers(owner + "." + std::string(std::remove_cvref_t<decltype(member)>::kName), member, declared_alone,
                   met);
    };
    if constexpr (IsVariant<Value>::value) {
      if (declared_alone) {
        for_each_member<Value>([&](auto tag) { inner(typename decltype(tag)::type{}); });
      } else {
        std::visit(inner, value);
      }
    } else if constexpr (std::is_arithmetic_v<Value>) {
      std::set<double>& values = met[owner + "." + std::string(name)];
      if (!declared_alone) values.insert(static_cast<double>(value));
    }
  });
}

TEST(Replay, EveryDeclaredNumberOfWhatMakesAClaimIsVaried) {
  for (const AuditedMethod& method : audited_methods()) {
    ValuesMet met;
    std::uint64_t plans = 0;
    for (const Relation relation : {Relation::replace_one, Relation::add_remove}) {
      std::uint64_t offset = 0;
      for (const std::string_view loss : names<Loss>()) {
        const Selection selection{make_by_name<Loss>(loss, "loss"), relation, 40, 4, false, offset += 40};
        for_each_case(method, selection, [&](const ReplayCase& one) {
          if (++plans == 1) {
            const auto declare = [&](const auto& member) { note_numbers(method.name, member, true, met); };
            std::visit(declare, one.request.method);
          }
          const auto note = [&](const auto& member) { note_numbers(method.name, member, false, met); };
          std::visit(note, one.request.method);
          std::visit(note, one.request.problem.loss);
        });
      }
    }
    for (const auto& [name, values] : met) EXPECT_GE(values.size(), 2U) << name << ", of " << plans << " plans";
  }
}

TEST(LedgerReplay, EntriesThatWereGivenBackAreTakenOff) {
  const TemporaryFolder folder;
  LedgerTerms terms;
  terms.filter.kind = FilterKind::zcdp;
  terms.filter.budget = {1, 1e-5, Relation::replace_one};
  terms.rows = 10;
  SqliteLedger::create(folder.file("ledger"), terms, Digest{});
  SqliteLedger ledger(folder.file("ledger"));
  ledger.release(ledger.reserve({GaussianEvent{0.1}, 0, std::string(64, 'a')}), "model");
  ledger.cancel(ledger.reserve({GaussianEvent{0.2}, 0, std::string(64, 'b')}));
  Reservation open = ledger.reserve({ExponentialEvent{0.1}, 0, std::string(64, 'c')});
  const Finding finding = audit_ledger(ledger);
  EXPECT_TRUE(finding.holds()) << finding.found;
  EXPECT_NE(finding.evidence.find("3 entries, 1 of them"), std::string::npos) << finding.evidence;
}

TEST(LedgerReplay, SelectionsAreRecomputedAtTheOrderOfTheLedger) {
  const TemporaryFolder folder;
  LedgerTerms terms;
  terms.filter.kind = FilterKind::rdp;
  terms.filter.budget = {4, 1e-5, Relation::replace_one};
  terms.rows = 10;
  SqliteLedger::create(folder.file("ledger"), terms, Digest{});
  SqliteLedger ledger(folder.file("ledger"));
  const Event sampled = sequence({repeat(PoissonSampledEvent{0.1, 6}, 10), DiscreteGaussianEvent{0.0005}});
  for (const Event& run : {sampled, Event(ZcdpEvent{0.001}), one_of({ZcdpEvent{0.001}, sampled})}) {
    ledger.release(ledger.reserve({select_best(run, PoissonRuns{3}), 0, std::string(64, 'a')}), "model");
  }
  const Finding finding = audit_ledger(ledger);
  EXPECT_TRUE(finding.holds()) << finding.found;
}

TEST(LedgerReplay, EveryMethodIsTrainedThroughALedger) {
  for (const Finding& one : audit_charged_trainings()) {
    EXPECT_TRUE(one.holds() && one.made) << one.subject << ": " << one.found << ", " << one.evidence;
    EXPECT_TRUE(one.quantity != "cost over charge" || one.found > 0.9) << one.subject;
  }
}

TEST(Pipeline, NothingThatSurroundsATrainingIsFlagged) {
  for (const Finding& one : audit_pipeline({.games = 200})) {
    EXPECT_TRUE(one.holds()) << one.subject << ": " << one.found << " of " << one.claim;
  }
}

TEST(Replay, ACuratorThatKeepsATranscriptIsStamped) {
  BitSource bits;
  Transcript transcript;
  NotingDrawer drawer(bits, transcript);
  EXPECT_FALSE(Curator(drawer).stamps().empty());
  EXPECT_TRUE(Curator(bits).stamps().empty());
}

TEST(Museum, FloatNoiseAndAPrivateDivisorAreCaughtAndTheirControlsHold) {
  for (const Exhibit& exhibit : museum()) {
    if (exhibit.name != "float_noise" && exhibit.name != "expected_batch") continue;
    const Exhibited shown = exhibit.show({.games = 500});
    EXPECT_GT(shown.lower_bound, 2 * shown.claim) << exhibit.name;
    EXPECT_TRUE(shown.control_holds()) << exhibit.name << ": " << shown.control_bound;
  }
}

TEST(Museum, NamesAreUniqueAndThereAreNineteen) {
  std::vector<std::string_view> names;
  for (const Exhibit& exhibit : museum()) names.push_back(exhibit.name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names.size(), 19U);
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace sotto::audit
