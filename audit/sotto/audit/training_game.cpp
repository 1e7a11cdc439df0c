// What: a whole training as a distinguishing game on the linear pair.
// Formula: where all noised values may leave, the statistic is sum_t <released_t, d_t> / sigma_t^2 with d_t the gap of
//   the noise-free values, found by replay: the log-likelihood ratio of Gaussian noise. Else it is the released weight,
//   of a run that nobody takes notes of: the product's own kernels. Thresholds: the centres of the two laws, where
//   Laplace noise is told best, and their middle.
// Conditions: all rows zero but one, so that the tables mirror each other (or one is all zeros); linear part of the
//   Huber loss. Losses without one: other rows along one axis, which the tables mirror each other about.
// Reference: docs/audit.md.
// Fails if wrong: AuditGame.* (right methods come close to their claim), make mutants.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "sotto/audit/game.h"
#include "sotto/audit/replay.h"
#include "sotto/audit/replay_settings.h"
#include "sotto/audit/stored_table.h"
#include "sotto/base/error.h"

namespace sotto::audit {
namespace {

constexpr std::uint64_t kGameRows = 20;

/// Everything an attacker knows before the game.
struct Attack {
  TrainRequest request;
  Plan plan;
  StoredPair tables;
  bool sees_all = false;
  Transcript first, second;  ///< of noise-free values along one path

  double statistic(const NotedRun& run) const {
    double sum = 0;
    const std::size_t known = std::min(run.transcript.entries.size(), first.entries.size());
    for (std::size_t t = 0; t < known; ++t)
      sum += weigh(t, run.transcript.entries[t].kind, run.transcript.entries[t].released);
    return sum;
  }
  /// Where the statistic would be on one of the tables without noise.
  double centre(const Transcript& noise_free) const {
    double sum = 0;
    for (std::size_t t = 0; t < noise_free.entries.size(); ++t)
      sum += weigh(t, noise_free.entries[t].kind, noise_free.entries[t].secret);
    return sum;
  }
  double played(bool second_one, BitSource& bits) const {
    const std::unique_ptr<Engine> engine = tables.table(second_one).open();
    if (sees_all) return statistic(noted_run({request, plan}, *engine, bits));
    Curator curator(bits);
    return train(*engine, request, plan, curator).weights.back();
  }

 private:
  double weigh(std::size_t t, Transcript::Kind kind, const Vector& values) const {
    const Transcript::Entry &a = first.entries[t], &b = second.entries[t];
    if (kind != a.kind || kind == Transcript::Kind::choice || values.size() != a.secret.size()) return 0;
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      // Who is in a sampled batch is secret, so its sums all count alike.
      const double gap = kind == Transcript::Kind::sampled ? -a.sensitivity : a.secret[i] - b.secret[i];
      sum += values[i] * gap;
    }
    return sum / (a.stddev * a.stddev);
  }
};

bool has_vectors(const Transcript& transcript) {
  return std::any_of(transcript.entries.begin(), transcript.entries.end(),
                     [](const auto& e) { return e.kind != Transcript::Kind::choice && e.stddev > 0; });
}

double claimed_mu(const Plan& plan) {
  double squares = 0;
  for (const Charge& charge : plan.charges) {
    const auto* gaussian = std::get_if<GaussianEvent>(&charge.event);
    if (gaussian == nullptr) return 0;
    squares += static_cast<double>(charge.times) * gaussian->mu * gaussian->mu;
  }
  return std::sqrt(squares);
}

/// A few passes over one batch of all rows: all noise is on what the row moves.
std::vector<double> game_numbers(std::string_view name, Relation relation) {
  if (name == "declared_rows" && relation == Relation::add_remove) return {kGameRows};
  if (name == "passes") return {2};
  if (name == "batch_rows") return {kGameRows};
  if (name == "splits") return {2};
  if (name == "step_candidates") return {4};
  if (name == "population") return {8};
  if (name == "parents") return {2};
  if (name == "rounds") return {1};
  return {};
}

}  // namespace

Pair linear_neighbours(const Facts& facts, Relation relation) {
  return relation == Relation::replace_one ? linear_pair(facts, 0) : linear_removal(facts);
}

TrainingGame training_game(const TrainRequest& request, const Pair& pair, Sees sees) {
  auto attack = std::make_shared<Attack>(Attack{request, {}, StoredPair(pair, Feeder::in_memory), false, {}, {}});
  attack->request.order_seed = 1;  // the attacker knows the order
  attack->plan = plan_of(request, pair.first.facts());
  refuse_without_claim(attack->plan);
  BitSource bits(ReproducibleSeed{9});
  const PlannedRequest planned{attack->request, attack->plan};
  attack->first = noted_run(planned, *attack->tables.first.open(), bits).transcript;
  attack->second = noted_run(planned, *attack->tables.second.open(), bits, &attack->first).transcript;
  attack->second.follow = nullptr;
  attack->sees_all = sees == Sees::everything && attack->plan.guarantee.released.rfind("final weights", 0) != 0 &&
                     has_vectors(attack->first) && attack->first.entries.size() == attack->second.entries.size();
  TrainingGame game;
  const auto set_thresholds = [&](double here, double there) { game.thresholds = {(here + there) / 2, here, there}; };
  if (attack->sees_all) {
    set_thresholds(attack->centre(attack->first), attack->centre(attack->second));
  } else {
    // The same noise on both: what is left is the difference. Tables mirror each other, or one is all zeros.
    BitSource same(ReproducibleSeed{10}), again(ReproducibleSeed{10});
    const double apart = attack->played(false, same) - attack->played(true, again);
    set_thresholds(pair.removed ? apart : apart / 2, pair.removed ? 0 : -apart / 2);
  }
  game.epsilon = attack->plan.guarantee.epsilon;
  game.delta = attack->plan.guarantee.delta;
  game.mu = claimed_mu(attack->plan);
  game.sees_all = attack->sees_all;
  game.game = [attack](bool second_one, BitSource& game_bits) { return attack->played(second_one, game_bits); };
  return game;
}

std::vector<Finding> judge(const TrainingGame& game, const Played& played, const GameRules& rules,
                           const std::string& subject) {
  const LowerBounds bounds = lower_bounds(played, game.thresholds, game.delta, rules.alpha);
  const std::string evidence =
      fmt::format("{} games a table, {:.7g} percent confidence", played.first.size(), 100 * (1 - rules.alpha));
  const LowerBounds reach = most_provable(played.first.size(), game.thresholds.size(), game.delta, rules.alpha);
  std::vector<Finding> findings = {{"game", subject, fmt::format("epsilon at delta {:.3g}", game.delta), game.epsilon,
                                    bounds.epsilon, evidence, reach.epsilon}};
  if (game.mu > 0) findings.push_back({"game", subject, "mu", game.mu, bounds.mu, evidence, reach.mu});
  return findings;
}

namespace {

/// One method under one budget: the game on all that leaves and, where that is more than the weights, on them alone.
class MethodGames {
 public:
  MethodGames(const AuditedMethod& method, const GameRules& rules) : method_(method), rules_(rules) {}

  void play_under(const Budget& budget) {
    const std::string subject = fmt::format("{} ({} budget{})", method_.name, budget.delta > 0 ? "approximate" : "pure",
                                            budget.relation == Relation::add_remove ? ", add_remove" : "");
    TrainRequest request;
    request.method = method_.plain([&](std::string_view name, double) { return game_numbers(name, budget.relation); });
    request.budget = budget;
    request.problem = {HuberSvm{0.1}, 0.05};
    std::string refusal;
    if (try_pair(request, linear_neighbours(linear_facts(kGameRows), budget.relation), subject, refusal)) return;
    request.problem.loss = Logistic{};
    if (budget.relation == Relation::replace_one &&
        try_pair(request, saturated_pair(kGameRows, 1, 0.3), subject + ", saturated", refusal)) {
      return;
    }
    if (!makes_no_claim(refusal)) findings_.push_back(not_tested("game", subject, refusal));
  }
  std::vector<Finding> take() { return std::move(findings_); }

 private:
  bool try_pair(const TrainRequest& request, const Pair& pair, const std::string& subject, std::string& refusal) {
    try {
      const TrainingGame game = training_game(request, pair);
      add(judge(game, play(game.game, rules_), rules_, subject));
      if (!game.sees_all) return true;
      const TrainingGame weights = training_game(request, pair, Sees::weights);
      add(judge(weights, play(weights.game, rules_), rules_, subject + ", weights"));
      return true;
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::internal || e.kind() == ErrorKind::budget_exceeded) throw;
      refusal = e.what();
      return false;
    }
  }
  void add(std::vector<Finding> more) {
    for (Finding& one : more) findings_.push_back(std::move(one));
  }

  const AuditedMethod& method_;
  const GameRules& rules_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> game_catalogue(const GameRules& rules, const std::string& method) {
  std::vector<Finding> findings;
  for (const AuditedMethod& each : audited_methods(method)) {
    MethodGames games(each, rules);
    for (const Relation relation : {Relation::replace_one, Relation::add_remove}) {
      for (const Budget& budget : {Budget{1, 0, relation}, Budget{4, 1e-2, relation}}) games.play_under(budget);
    }
    for (Finding& one : games.take()) findings.push_back(std::move(one));
  }
  return findings;
}

}  // namespace sotto::audit
