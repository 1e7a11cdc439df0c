// What: games on all processors, and the bounds they give.
// Formula: for every threshold c fixed beforehand, the event "statistic >= c" is tallied on both tables and bounds
//   epsilon and mu from below (audit/evidence.h), at alpha divided by the number of thresholds.
// Conditions: every game has bits of its own; thresholds do not depend on the games.
// Reference: [Jagielski20], [Nasr23]; docs/audit.md.
// Fails if wrong: AuditGame.*, Museum.*
#include "sotto/audit/game.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "sotto/base/threads.h"

namespace sotto::audit {
namespace {

constexpr std::uint64_t kGamesAChunk = 32;

/// Bits of one chunk of games on one table: from the seed, or from the operating system.
BitSource bits_for(const GameRules& rules, std::uint64_t chunk) {
  if (rules.seed == 0) return {};
  return BitSource(ReproducibleSeed{rules.seed * 0x9E3779B97F4A7C15U + chunk});
}

}  // namespace

Tally Played::tally(double threshold) const {
  const auto above = [&](const std::vector<double>& values) {
    return static_cast<double>(std::count_if(values.begin(), values.end(), [&](double v) { return v >= threshold; }));
  };
  return {static_cast<double>(first.size()), above(first), above(second)};
}

Played play(const Game& game, const GameRules& rules) {
  Played played{std::vector<double>(rules.games), std::vector<double>(rules.games)};
  const std::uint64_t chunks = 2 * ((rules.games + kGamesAChunk - 1) / kGamesAChunk);
  std::atomic<std::uint64_t> next{0};
  std::exception_ptr failed;
  std::mutex mutex;
  const auto work = [&] {
    try {
      for (std::uint64_t chunk = next++; chunk < chunks; chunk = next++) {
        BitSource bits = bits_for(rules, chunk);
        const bool second = chunk % 2 == 1;
        std::vector<double>& values = second ? played.second : played.first;
        const std::uint64_t from = chunk / 2 * kGamesAChunk;
        for (std::uint64_t i = from; i < std::min(from + kGamesAChunk, rules.games); ++i)
          values[i] = game(second, bits);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      failed = std::current_exception();
      next = chunks;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < allowed_threads(); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (failed) std::rethrow_exception(failed);
  return played;
}

LowerBounds lower_bounds(const Played& played, std::span<const double> thresholds, double delta, double alpha) {
  LowerBounds best;
  const double each = alpha / static_cast<double>(thresholds.size());
  for (const double threshold : thresholds) {
    const Tally tally = played.tally(threshold);
    best.epsilon = std::max(best.epsilon, epsilon_lower(tally, delta, each));
    best.mu = std::max(best.mu, mu_lower(tally, each));
  }
  return best;
}

LowerBounds most_provable(std::uint64_t games, std::size_t thresholds, double delta, double alpha) {
  const Tally always{static_cast<double>(games), static_cast<double>(games), 0};
  const double each = alpha / static_cast<double>(thresholds);
  return {epsilon_lower(always, delta, each), mu_lower(always, each)};
}

}  // namespace sotto::audit
