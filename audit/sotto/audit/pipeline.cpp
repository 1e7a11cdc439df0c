// What: private bounds, private texts, private tuning and personal epsilons, put to the test.
// Formula: texts: P(a shown, b not) on counts (n, n-1) against (n-1, n) has a ratio of at most e^epsilon, and a text of
//   one row is shown with probability at most tau; bounds: max_t - min_t of score gaps <= R; tuning by parts: the cost
//   of all differences is at most the whole's, as a row is in one part; random stopping: rho of a run at most its
//   share.
// Conditions: neighbours of the relation named; what is chosen follows one path in both runs.
// Reference: spec 6.6, 6.7, 8; [Korolova09], [Papernot22]; docs/audit.md.
// Fails if wrong: Pipeline.*, make mutants.
#include "sotto/audit/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "sotto/audit/replay.h"
#include "sotto/audit/transcript.h"
#include "sotto/base/fields.h"
#include "sotto/methods/bounds_plan.h"
#include "sotto/tune.h"

namespace sotto::audit {
namespace {

GameRules many(GameRules rules) {
  rules.games = std::max<std::uint64_t>(10 * rules.games, 20000);  // one draw a game
  return rules;
}

bool shows(const Discovery& law, const TextCounts& counts, const char* text, BitSource& bits) {
  Curator curator(bits);
  curator.charge({law.event()});
  const std::vector<std::string> shown = curator.discover(Sensitive<TextCounts>(counts), law);
  return std::ranges::find(shown, text) != shown.end();
}

/// Two texts about the threshold: one row's text changes, or one row goes.
Finding texts_game(const GameRules& given, Relation relation) {
  const GameRules rules = many(given);
  const Discovery law{2, relation, 1e-2, 64};
  const auto least = static_cast<std::uint64_t>(law.threshold());
  const TextCounts first{{"a", least}, {"b", least - 1}};
  const TextCounts second{{"a", least - 1}, {"b", relation == Relation::replace_one ? least : least - 1}};
  const Played played = play(
      [&](bool second_one, BitSource& bits) {
        Curator curator(bits);
        curator.charge({law.event()});
        const auto shown = curator.discover(Sensitive<TextCounts>(second_one ? second : first), law);
        const auto has = [&](const char* text) { return std::ranges::find(shown, text) != shown.end() ? 1.0 : 0.0; };
        return relation == Relation::replace_one ? has("a") - has("b") : has("a");
      },
      rules);
  const double thresholds[] = {0.5, -0.5};
  const double delta = (1 + std::exp(law.epsilon)) * law.distance();
  return {"pipeline",
          fmt::format("texts found, {}", enum_name(relation)),
          fmt::format("epsilon at delta {:.3g}", delta),
          law.epsilon,
          lower_bounds(played, thresholds, 0, rules.alpha).epsilon,  // both texts are in both tables: it is pure
          fmt::format("{} games a table on counts at the threshold", rules.games),
          most_provable(rules.games, std::size(thresholds), 0, rules.alpha).epsilon};
}

/// The text of one row may be shown as often as was promised, and no more.
Finding lone_text(const GameRules& given) {
  const GameRules rules = many(given);
  const Discovery law{1, Relation::replace_one, 0.05, 64};
  const Played played = play(
      [&](bool, BitSource& bits) {
        return shows(law, {{"common", 100}, {"lone", 1}}, "lone", bits) ? 1.0 : 0.0;
      },
      rules);
  const Tally tally = played.tally(0.5);
  return {"pipeline",
          "text of one row",
          "probability",
          law.distance(),
          share_lower(tally.on_first + tally.on_second, 2 * tally.games, rules.alpha),
          fmt::format("{} discoveries", 2 * rules.games)};
}

double range_of(const Transcript::Entry& a, const Transcript::Entry& b) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (std::size_t i = 0; i < a.secret.size(); ++i) {
    low = std::min(low, a.secret[i] - b.secret[i]);
    high = std::max(high, a.secret[i] - b.secret[i]);
  }
  return (high - low) / a.sensitivity;
}

/// The scores of all three choices that find a range, on numbers of which one differs or is missing.
Finding bounds_replay() {
  constexpr int kTables = 300;
  std::mt19937_64 random(8);
  std::lognormal_distribution<double> numbers(0, 3);
  BitSource bits(ReproducibleSeed{8});
  double worst = 0;
  for (int i = 0; i < kTables; ++i) {
    const std::size_t rows = 1 + random() % 40;
    const bool removed = i % 2 == 1;
    const double tail = i % 3 == 0 ? 0 : 0.2;
    BoundCounts sizes[] = {BoundCounts(size_grid()), BoundCounts(size_grid())};
    BoundCounts ranges[] = {BoundCounts(range_grid(8)), BoundCounts(range_grid(8))};
    for (std::size_t row = 0; row < rows; ++row) {
      const double value = numbers(random), other = row == 0 ? numbers(random) : value;
      const double sign = random() % 2 == 0 ? 1 : -1;
      sizes[0].add(value);
      ranges[0].add(sign * value);
      if (row == 0 && removed) continue;
      sizes[1].add(other);
      ranges[1].add(sign * other);
    }
    Transcript noted[2];
    for (int table = 0; table < 2; ++table) {
      NotingDrawer drawer(bits, noted[table]);
      Curator curator(drawer);
      curator.charge({ExponentialEvent{0.5}, 3});
      curator.choose(sizes[table].above(tail), size_choice(0.5));
      curator.choose(ranges[table].below(tail), lower_choice(0.5));
      curator.choose(ranges[table].above(tail), upper_choice(0.5));
    }
    for (std::size_t t = 0; t < 3; ++t) worst = std::max(worst, range_of(noted[0].entries[t], noted[1].entries[t]));
  }
  return {"pipeline",
          "bounds found",
          "distance over claim",
          1,
          worst,
          fmt::format("{} tables of random numbers, one of them replaced or removed; three choices each", kTables)};
}

TuneRequest tuning(TuneBy by) {
  TuneRequest request;
  request.by = by;
  request.train.problem = {HuberSvm{0.1}, 0.05};
  request.train.budget = {2, 1e-3};
  request.train.method = BoltOn{.sgd = {.passes = 1, .batch_rows = 3}, .mechanism = MechanismChoice::discrete_gaussian};
  request.train.order_seed = 1;
  request.grid = parse_grid("lambda=0.05,0.5");
  request.mean_runs = 3;
  return request;
}

/// Of runs that have no rho: the curvature of one row must leave something of a small epsilon.
TuneRequest tuning_without_rho(const Method& method) {
  TuneRequest request = tuning(TuneBy::random_stopping);
  request.train.problem = {Logistic{}, 2};
  request.train.budget = {4, 1e-3};
  request.train.method = method;
  request.grid = parse_grid("lambda=2,8");
  return request;
}

/// The kinds of runs that were charged.
std::vector<Event> charged_runs(const TunePlan& whole) {
  const Event& run = *std::get<SelectionEvent>(whole.charge.event).run;
  const auto* one = std::get_if<OneOfEvent>(&run);
  return one == nullptr ? std::vector{run} : one->events;
}

/// Whether what was noted falls into runs that were charged, each training with its score.
bool is_charged(const std::vector<Transcript::Entry>& entries, const TunePlan& whole) {
  const std::vector<Event> runs = charged_runs(whole);
  const Event score = event_of(score_noise(whole.stopping));
  std::vector<Charge> drawn;
  for (const Transcript::Entry& entry : entries) {
    if (!drawn.empty() && drawn.back().event == entry.event) {
      ++drawn.back().times;
    } else {
      drawn.push_back({entry.event});
    }
    if (entry.event != score) continue;
    if (std::ranges::find(runs, event_of(drawn)) == runs.end()) return false;
    drawn.clear();
  }
  return drawn.empty();
}

/// What noted runs cost, over what was promised of all or charged for each.
double cost_share(const Apart& apart, const std::vector<Transcript::Entry>& entries, const TuneRequest& request,
                  const TunePlan& whole) {
  if (request.by == TuneBy::parts) return apart.cost_over(whole.epsilon, whole.delta);
  if (!std::holds_alternative<ZcdpEvent>(charged_runs(whole).front())) return is_charged(entries, whole) ? 1 : HUGE_VAL;
  const double runs_made = static_cast<double>(entries.size()) / 2;
  return apart.cost.rho == 0 ? 0 : apart.cost.rho / (runs_made * whole.stopping.run_rho) / (1 + 1e-9);
}

/// Runs of both tables along one path, for many places of the rows.
Finding tuning_replay(const TuneRequest& request, std::uint64_t replays) {
  const Pair pair = linear_pair(linear_facts(12), 0);
  const TunePlan whole = plan_tuning(request, pair.first.facts());
  const StoredPair stored(pair, Feeder::in_memory);
  double worst = 0;
  for (std::uint64_t run = 0; run < replays; ++run) {
    NotedRun runs[2];
    for (const bool second : {false, true}) {
      BitSource bits(ReproducibleSeed{run});  // the same number of runs, the same settings
      Transcript& noted = runs[second ? 1 : 0].transcript;
      noted.follow = second ? &runs[0].transcript : nullptr;
      const std::unique_ptr<Engine> engine = stored.table(second).open();
      NotingDrawer drawer(bits, noted);
      runs[second ? 1 : 0].weights = tune(*engine, request, whole, {drawer, {run, run + 1, run + 2, run + 3}}).weights;
    }
    const Apart apart = compare({request.train, whole.plans.front()}, pair, runs[0], runs[1]);
    worst = std::max({worst, apart.worst(), cost_share(apart, runs[0].transcript.entries, request, whole)});
  }
  return {"pipeline",
          fmt::format("tuning by {}, {}", enum_name(request.by), name_of(request.train.method)),
          request.by == TuneBy::parts ? "cost over promise" : "cost of a run over its share",
          1,
          worst,
          fmt::format("{} replays of two settings, training and choice, places drawn anew", replays)};
}

std::vector<Finding> tuning_replays() {
  constexpr std::uint64_t kMany = 60, kSome = 10;  // calibrating sampled noise is slow
  return {tuning_replay(tuning(TuneBy::parts), kMany), tuning_replay(tuning(TuneBy::random_stopping), kMany),
          tuning_replay(tuning_without_rho(Objective{}), kMany),
          tuning_replay(tuning_without_rho(Dpsgd{.passes = 1, .batch_rows = 3}), kSome)};
}

/// The row that differs stands where less was promised.
std::vector<Finding> personal_game(const Method& method, double delta, const GameRules& rules) {
  constexpr std::uint64_t kRows = 20;
  std::vector<double> epsilons(kRows, 4.0);
  epsilons[0] = 1;
  TrainRequest request;
  request.problem = {HuberSvm{0.1}, 0.05};
  request.budget = {4, delta};
  request.method = method;
  request.personal = personal_epsilons(epsilons);
  TrainingGame game = training_game(request, linear_pair(linear_facts(kRows), 0));
  game.epsilon = epsilons[0];
  std::vector<Finding> findings =
      judge(game, play(game.game, rules), rules, fmt::format("personal epsilons, {}", name_of(method)));
  for (Finding& one : findings) one.check = "pipeline";
  return findings;
}

}  // namespace

std::vector<Finding> audit_pipeline(const GameRules& rules) {
  std::vector<Finding> findings = {texts_game(rules, Relation::replace_one), texts_game(rules, Relation::add_remove),
                                   lone_text(rules), bounds_replay()};
  for (Finding& one : tuning_replays()) findings.push_back(std::move(one));
  const Method one_pass = Scs13{.sgd = {.passes = 1, .batch_rows = 20, .order = RowOrder::stored}};
  const Method sampled = Dpsgd{.passes = 1, .batch_rows = 19};
  for (Finding& one : personal_game(one_pass, 0, rules)) findings.push_back(std::move(one));
  for (Finding& one : personal_game(sampled, 2e-2, rules)) findings.push_back(std::move(one));
  return findings;
}

}  // namespace sotto::audit
