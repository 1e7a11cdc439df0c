#include "sotto/audit/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "sotto/audit/ledger_replay.h"
#include "sotto/audit/one_run.h"
#include "sotto/audit/replay.h"
#include "sotto/audit/samplers.h"
#include "sotto/audit/trade_off.h"
#include "sotto/base/catalog.h"
#include "sotto/base/error.h"

namespace sotto::audit {
namespace {

using Check = std::function<std::vector<Finding>(const AuditOptions&)>;

std::vector<Finding> replays(const AuditOptions& options) {
  return replay_catalogue(
      {.cases = options.quick ? 40U : 600U, .sampled_cases = options.quick ? 1U : 4U, .method = options.method});
}

const std::vector<std::pair<std::string, Check>>& checks_by_name() {
  static const std::vector<std::pair<std::string, Check>> kChecks = {
      {"samplers", [](const AuditOptions& o) { return audit_samplers(o.quick ? 4000 : 40000, o.seed); }},
      {"replay", replays},
      {"ledger", [](const AuditOptions& o) { return audit_ledgers({.paths = 10000, .seed = o.seed + 1}); }},
      {"game", [](const AuditOptions& o) { return game_catalogue(o.rules(), o.method); }},
      {"one_run", [](const AuditOptions& o) { return one_run_catalogue({.seed = o.seed}, o.method); }}};
  return kChecks;
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
  return findings;
}

namespace {

/// The pairs of spec 9 at both ends and in the middle, the request's own facts but for three features, and the linear
/// pair with all of them.
Finding replay_request(const TrainRequest& request, const Facts& facts) {
  double worst = 0;
  std::string where;
  const auto note = [&](const Plan& plan, const Pair& pair) {
    const double apart = replay({request, plan}, pair).worst();
    if (apart > worst) where = fmt::format("{} at {}", pair.name, pair.position);
    worst = std::max(worst, apart);
  };
  const std::uint64_t rows = std::min<std::uint64_t>(facts.rows, 2001);
  const Facts small{rows, kPairFeatures, 1.0, false, facts.classes};
  const Plan plan = make_plan(request.algorithm, {small, request.problem, request.budget});
  for (const std::uint64_t position : {std::uint64_t{0}, rows / 2, rows - 1}) {
    for (const Pair& pair : adversarial_pairs(rows, position, position + 1, facts.classes)) note(plan, pair);
  }
  const Facts dense{facts.rows, facts.features, facts.data_norm, false, 2};
  note(make_plan(request.algorithm, {dense, request.problem, request.budget}),
       linear_pair(facts.rows, facts.rows - 1, facts.data_norm, facts.features));
  return {"replay",
          plan.method,
          "distance over claim",
          1,
          worst,
          fmt::format("pairs of three features on {} rows and one of all {} rows and {} features; largest on {}", rows,
                      facts.rows, facts.features, where)};
}

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
  if (request.budget.relation != Relation::replace_one) {
    throw Error(ErrorKind::unsupported,
                "relation: the neighbours of this audit are those of replace_one; it has none that lack a row",
                "relation");
  }
  require(facts.rows >= 2 && facts.features >= 1, "rows", "must be at least 2, and features at least 1");
  RequestAudit audit;
  audit.findings.push_back(replay_request(request, facts));
  GameRules rules = options.rules();
  const Facts played{std::min<std::uint64_t>(facts.rows, 1000), std::min(facts.features, 100U), facts.data_norm, false};
  const TrainingGame game = training_game(request, played);
  if (options.games == 0) rules.games = affordable(game, rules, options.quick ? 20 : 120);
  const Played games = play(game.game, rules);
  const std::string method(name_of(request.algorithm));
  for (Finding& one : judge(game, games, rules, method)) audit.findings.push_back(std::move(one));
  audit.svg = trade_off_svg({fmt::format("{}: claim and games", method), game.epsilon, game.delta, game.mu}, games);
  audit.findings.push_back(
      one_run(request, {facts.rows, facts.features, facts.data_norm, false, facts.classes}, {.seed = options.seed}));
  return audit;
}

}  // namespace sotto::audit
