// What: a whole training as a distinguishing game on the linear pair.
// Formula: where all noised values may leave, the statistic is sum_t <released_t, d_t> / sigma_t^2 with d_t the gap of
//   the noise-free values, found by replay: the log-likelihood ratio of Gaussian noise. Else it is the released weight.
//   Thresholds: 0, by symmetry the middle, and the centres +-c of the two laws, where Laplace noise is told best.
// Conditions: all rows zero but one, so that the tables mirror each other; linear part of the Huber loss.
// Reference: docs/audit.md.
// Fails if wrong: AuditGame.* (right methods come close to their claim), make mutants.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "sotto/audit/game.h"
#include "sotto/audit/replay.h"
#include "sotto/audit/variants.h"
#include "sotto/base/error.h"

namespace sotto::audit {
namespace {

constexpr std::uint64_t kGameRows = 20;

/// Everything an attacker knows before the game.
struct Attack {
  TrainRequest request;
  Plan plan;
  Pair pair;
  bool sees_all = false;
  Transcript first, second;  ///< of noise-free values along one path

  const Table& table(bool second_one) const { return second_one ? pair.second : pair.first; }

  double statistic(const NotedRun& run) const {
    if (!sees_all) return run.weights.back();
    double sum = 0;
    const std::size_t known = std::min(run.transcript.entries.size(), first.entries.size());
    for (std::size_t t = 0; t < known; ++t)
      sum += weigh(t, run.transcript.entries[t].kind, run.transcript.entries[t].released);
    return sum;
  }
  /// Where the statistic would be on the first table without noise.
  double centre() const {
    double sum = 0;
    for (std::size_t t = 0; t < first.entries.size(); ++t)
      sum += weigh(t, first.entries[t].kind, first.entries[t].secret);
    return sum;
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
std::vector<double> game_numbers(std::string_view name) {
  if (name == "passes") return {2};
  if (name == "batch_rows") return {kGameRows};
  if (name == "splits") return {2};
  if (name == "step_candidates") return {4};
  if (name == "population") return {8};
  if (name == "parents") return {2};
  if (name == "rounds") return {1};
  return {};
}

/// The member with the numbers of games and its defaults otherwise.
template <class A>
A game_setting() {
  A object{};
  for_each_field(object, [&](std::string_view name, auto& value, std::string_view) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_arithmetic_v<Value>) {
      const std::vector<double> listed = game_numbers(name);
      if (!listed.empty()) value = static_cast<Value>(listed.front());
    }
  });
  return object;
}

}  // namespace

TrainingGame training_game(const TrainRequest& request, const Facts& facts) {
  auto attack = std::make_shared<Attack>(
      Attack{request, {}, linear_pair(facts.rows, 0, facts.data_norm, facts.features), false, {}, {}});
  attack->plan = make_plan(request.algorithm, {attack->pair.first.facts(), request.problem, request.budget});
  if (!attack->plan.not_private.empty()) throw Error(ErrorKind::unsupported, attack->plan.not_private.front());
  const Replay how{attack->request, attack->plan};
  BitSource bits(ReproducibleSeed{9});
  const NotedRun first = noted_run(how, attack->pair.first, bits);
  const NotedRun second = noted_run(how, attack->pair.second, bits, &first.transcript);
  attack->first = first.transcript;
  attack->second = second.transcript;
  const auto released = [&](std::string_view what) { return attack->plan.guarantee.released == what; };
  attack->sees_all = !released("final weights") && has_vectors(attack->first) &&
                     attack->first.entries.size() == attack->second.entries.size();
  BitSource same(ReproducibleSeed{10}), again(ReproducibleSeed{10});
  double centre = attack->sees_all ? attack->centre()
                                   : (noted_run(how, attack->pair.first, same).weights.back() -
                                      noted_run(how, attack->pair.second, again).weights.back()) /
                                         2;
  TrainingGame game;
  game.thresholds = {0, centre, -centre};
  game.epsilon = attack->plan.guarantee.epsilon;
  game.delta = attack->plan.guarantee.delta;
  game.mu = claimed_mu(attack->plan);
  game.game = [attack](bool second_one, BitSource& game_bits) {
    return attack->statistic(noted_run({attack->request, attack->plan}, attack->table(second_one), game_bits));
  };
  return game;
}

std::vector<Finding> judge(const TrainingGame& game, const Played& played, const GameRules& rules,
                           const std::string& subject) {
  const LowerBounds bounds = lower_bounds(played, game.thresholds, game.delta, rules.alpha);
  const std::string evidence =
      fmt::format("{} games a table, {:.4g} percent confidence", played.first.size(), 100 * (1 - rules.alpha));
  std::vector<Finding> findings = {
      {"game", subject, fmt::format("epsilon at delta {:.3g}", game.delta), game.epsilon, bounds.epsilon, evidence}};
  if (game.mu > 0) findings.push_back({"game", subject, "mu", game.mu, bounds.mu, evidence});
  return findings;
}

std::vector<Finding> game_catalogue(const GameRules& rules, const std::string& method) {
  std::vector<Finding> findings;
  for_each_member<Algorithm>([&](auto tag) {
    using A = typename decltype(tag)::type;
    if (!method.empty() && method != A::kName) return;
    for (const Budget& budget : {Budget{1, 0}, Budget{4, 1e-2}}) {
      TrainRequest request;
      request.problem = {HuberSvm{0.1}, 0.05};
      request.algorithm = game_setting<A>();
      request.budget = budget;
      try {
        const TrainingGame game = training_game(request, linear_facts(kGameRows));
        const std::string subject = fmt::format("{} ({} budget)", A::kName, budget.delta > 0 ? "approximate" : "pure");
        for (Finding& one : judge(game, play(game.game, rules), rules, subject)) findings.push_back(std::move(one));
      } catch (const Error& e) {
        if (e.kind() == ErrorKind::internal || e.kind() == ErrorKind::budget_exceeded) throw;
      }
    }
  });
  return findings;
}

}  // namespace sotto::audit
