#pragma once
// Distinguishing games of tests: the audit plays and judges them.
#include "sotto/audit/game.h"

namespace sotto::test {

inline constexpr double kAlpha = 0.002;  // a quarter for each of four bounds: each holds with 99.95 percent

/// How often an event that theory fixed beforehand was seen on either table.
struct Score : audit::Tally {
  /// A lower bound on epsilon.
  double epsilon(double delta = 0) const { return audit::epsilon_lower(*this, delta, kAlpha); }
  /// A lower bound on mu of Gaussian differential privacy.
  double mu() const { return audit::mu_lower(*this, kAlpha); }
};

/// The event is that the game returns at least `threshold`. Games run on several threads.
inline Score play(const audit::Game& game, std::uint64_t games, double threshold, std::uint64_t seed) {
  return {audit::play(game, {.games = games, .seed = seed}).tally(threshold)};
}

}  // namespace sotto::test
