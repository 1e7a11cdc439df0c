#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sotto/audit/evidence.h"
#include "sotto/audit/neighbours.h"
#include "sotto/random/bit_source.h"
#include "sotto/train.h"

/// Layer 3: the distinguishing game. The product, noise and all, is run many times on each of two neighbours; an
/// attacker who knows both looks at one number of what was released. What the attacker can tell bounds epsilon from
/// below, whatever the proof says.
namespace sotto::audit {

struct GameRules {
  std::uint64_t games = 2000;  ///< on each neighbour
  std::uint64_t seed = 1;      ///< 0: from the operating system
  double alpha = kTestAlpha;   ///< chance that a bound is wrong
};

/// The attacker's number, once a game.
struct Played {
  std::vector<double> first, second;
  /// How often it was at least `threshold`.
  Tally tally(double threshold) const;
};
/// One game: on the first or the second table, with bits of its own.
using Game = std::function<double(bool second, BitSource& bits)>;
/// Plays on all processors; the result does not depend on how many there are.
Played play(const Game& game, const GameRules& rules);

/// The best bounds over thresholds that were fixed beforehand; they hold together with confidence 1 - alpha.
struct LowerBounds {
  double epsilon = 0;
  double mu = 0;
};
LowerBounds lower_bounds(const Played& played, std::span<const double> thresholds, double delta, double alpha);
/// The best they could be: an event seen in every game on one table and in none on the other.
LowerBounds most_provable(std::uint64_t games, std::size_t thresholds, double delta, double alpha);

/// A training as a game: what may leave is weighed by how far the row moves it; thresholds are where theory puts them,
/// in the middle and at the centres of the two laws.
struct TrainingGame {
  Game game;
  std::vector<double> thresholds;
  double epsilon = 0;  ///< claims
  double delta = 0;
  double mu = 0;          ///< 0 where the noise is not Gaussian alone
  bool sees_all = false;  ///< everything noised is seen, by a curator that takes notes; else the weights alone
};
/// What the attacker looks at: all that the guarantee lets out, or the weights, as the product hands them out.
enum class Sees { everything, weights };
/// The row that differs is as a rule the last feature's; its neighbours are of the request's relation. The product's
/// own engine feeds the rows. Throws Error for a plan that is refused or not private.
TrainingGame training_game(const TrainRequest& request, const Pair& pair, Sees sees = Sees::everything);
/// The linear pair of these facts under the request's relation.
Pair linear_neighbours(const Facts& facts, Relation relation);
/// Findings in epsilon, and in mu where that is claimed.
std::vector<Finding> judge(const TrainingGame& game, const Played& played, const GameRules& rules,
                           const std::string& subject);

/// Every private method of the catalogue under a pure and an approximate budget and both relations; `method` alone
/// if given.
std::vector<Finding> game_catalogue(const GameRules& rules, const std::string& method);

}  // namespace sotto::audit
