#include "sotto/audit/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "sotto/audit/evidence.h"
#include "sotto/audit/ledger_replay.h"
#include "sotto/audit/one_run.h"
#include "sotto/audit/pipeline.h"
#include "sotto/audit/replay.h"
#include "sotto/audit/replay_settings.h"
#include "sotto/audit/samplers.h"
#include "sotto/audit/trade_off.h"
#include "sotto/base/catalog.h"
#include "sotto/base/error.h"

namespace sotto::audit {
namespace {

using Check = std::function<std::vector<Finding>(const AuditOptions&)>;

std::vector<Finding> replays(const AuditOptions& options) {
  return replay_catalogue(
      {.cases = options.quick ? 40U : 200U, .sampled_cases = options.quick ? 1U : 4U, .method = options.method});
}

/// Not about any one method.
std::vector<Finding> pipeline(const AuditOptions& options) {
  if (!options.method.empty()) return {};
  return audit_pipeline(options.rules());
}

const std::vector<std::pair<std::string, Check>>& checks_by_name() {
  static const std::vector<std::pair<std::string, Check>> kChecks = {
      {"samplers", [](const AuditOptions& o) { return audit_samplers(o.quick ? 20000 : 200000, o.seed); }},
      {"replay", replays},
      {"ledger", [](const AuditOptions& o) { return audit_ledgers({.paths = o.paths, .seed = o.seed + 1}); }},
      {"pipeline", pipeline},
      {"game", [](const AuditOptions& o) { return game_catalogue(o.rules(), o.method); }},
      {"one_run", [](const AuditOptions& o) { return one_run_catalogue({.seed = o.seed}, o.method); }}};
  return kChecks;
}

/// The chance of a false alarm is shared by so many tests.
void require_few_tests(const std::vector<Finding>& findings) {
  const auto by_chance = std::count_if(findings.begin(), findings.end(), [](const Finding& f) {
    return f.made && f.check != "replay" && f.check != "tightness" && f.check != "ledger";
  });
  if (by_chance > kMaxTests) throw Error(ErrorKind::internal, "more tests by chance than share the chance of an alarm");
}

}  // namespace

GameRules AuditOptions::rules() const { return {.games = games > 0 ? games : quick ? 2000U : 20000U, .seed = seed}; }

const std::vector<std::string>& checks() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const auto& [name, check] : checks_by_name()) names.push_back(name);
    return names;
  }();
  return kNames;
}

std::vector<Finding> audit_all(const AuditOptions& options) {
  const auto known = std::find(checks().begin(), checks().end(), options.check) != checks().end();
  require(options.check.empty() || known, "check",
          "got '" + options.check + "', must be " +
              join_names(std::vector<std::string_view>(checks().begin(), checks().end())));
  std::vector<Finding> findings;
  double done = 0;
  for (const auto& [name, check] : checks_by_name()) {
    if (options.check.empty() || options.check == name) {
      for (Finding& one : check(options)) findings.push_back(std::move(one));
    }
    done += 1;
    if (options.progress) options.progress(done / static_cast<double>(checks_by_name().size()));
  }
  require_few_tests(findings);
  return findings;
}

namespace {

/// The pairs of spec 9 at both ends and in the middle, the request's own facts but for three features, and the linear
/// pair with all of them.
class RequestReplay {
 public:
  RequestReplay(const TrainRequest& request, const Facts& facts) : request_(request), facts_(facts) {
    request_.order_seed = 1;
  }

  std::vector<Finding> findings(bool quick) {
    const std::uint64_t rows = std::min<std::uint64_t>(facts_.rows, quick ? 101 : 2001);
    const Facts small{rows, kPairFeatures, 1.0, false, facts_.classes};
    const Plan plan = plan_of(request_, small);
    refuse_without_claim(plan);
    for (const Pair& pair : pairs(rows, quick)) note(plan, pair);
    Facts whole = facts_;  // as far as it fits
    whole.rows = std::max<std::uint64_t>(rows, std::min<std::uint64_t>(facts_.rows, kMaxValues / facts_.features));
    note(plan_of(request_, whole), linear_neighbours(whole, request_.budget.relation));
    const std::string evidence =
        fmt::format("pairs of three features on {} rows and one of {} rows and {} features; largest on {}", rows,
                    whole.rows, whole.features, where_);
    std::vector<Finding> found = {{"replay", plan.method, "distance over claim", 1, worst_, evidence}};
    if (cost_) {
      found.push_back(
          {"replay", plan.method, "cost over promise", 1, *cost_, "every distance by its share of its event"});
    } else {
      found.push_back(
          not_tested("replay", plan.method, "cost over promise: distances alone do not price its releases"));
    }
    return found;
  }

 private:
  std::vector<Pair> pairs(std::uint64_t rows, bool quick) const {
    if (request_.budget.relation == Relation::add_remove) return removed_pairs(rows, 1, facts_.classes);
    std::vector<Pair> all;
    for (const std::uint64_t position : {rows - 1, rows / 2, std::uint64_t{0}}) {
      if (quick && !all.empty()) break;
      for (Pair& pair : adversarial_pairs(rows, position, position + 1, facts_.classes)) all.push_back(std::move(pair));
    }
    return all;
  }
  void note(const Plan& plan, const Pair& pair) {
    const StoredPair stored(pair, Feeder::in_memory);
    const Apart apart = replay({request_, plan, {}, 1, &stored}, pair);
    if (apart.worst() > worst_) where_ = fmt::format("{} at {}", pair.name, pair.position);
    worst_ = std::max(worst_, apart.worst());
    if (!apart.priced) return;
    cost_ = std::max(cost_.value_or(0), apart.cost_over(plan.guarantee.epsilon, plan.guarantee.delta));
  }

  static constexpr std::uint64_t kMaxValues = std::uint64_t{1} << 24;
  TrainRequest request_;
  Facts facts_;
  double worst_ = 0;
  std::optional<double> cost_;  // nothing if no release has a price by distance
  std::string where_;
};

/// As many games as fit the time, at least 200.
std::uint64_t affordable(const TrainingGame& game, const GameRules& rules, double seconds) {
  const auto started = std::chrono::steady_clock::now();
  BitSource bits(ReproducibleSeed{1});
  for (int i = 0; i < 4; ++i) game.game(i % 2 == 1, bits);
  const double each = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count() / 4;
  const double most = seconds * std::max(1U, std::thread::hardware_concurrency()) / (2 * each);
  return std::min<std::uint64_t>(rules.games, static_cast<std::uint64_t>(std::max(200.0, most)));
}

}  // namespace

RequestAudit audit_request(const TrainRequest& request, const Facts& facts, const AuditOptions& options) {
  require(facts.rows >= 2 && facts.features >= 1, "rows", "must be at least 2, and features at least 1");
  Facts known = facts;
  known.sparse = false;
  RequestAudit audit;
  audit.findings = RequestReplay(request, known).findings(options.quick);
  GameRules rules = options.rules();
  Facts played = known;
  played.rows = std::min<std::uint64_t>(facts.rows, options.quick ? 100 : 1000);
  played.features = std::min(facts.features, 100U);
  const Pair pair = linear_neighbours(played, request.budget.relation);
  const std::string method(name_of(request.method));
  bool seen_all = false;
  for (const Sees sees : {Sees::everything, Sees::weights}) {
    if (sees == Sees::weights && !seen_all) break;
    const TrainingGame game = training_game(request, pair, sees);
    seen_all = game.sees_all;
    if (options.games == 0) rules.games = affordable(game, rules, options.quick ? 10 : 60);
    const Played games = play(game.game, rules);
    for (Finding& one : judge(game, games, rules, sees == Sees::weights ? method + ", weights" : method)) {
      audit.findings.push_back(std::move(one));
    }
    if (sees == Sees::everything)
      audit.svg = trade_off_svg({fmt::format("{}: claim and games", method), game.epsilon, game.delta, game.mu}, games);
  }
  audit.findings.push_back(one_run(request, known, {.seed = options.seed}));
  return audit;
}

}  // namespace sotto::audit
