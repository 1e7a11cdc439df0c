// What: the chance that the best guess between two neighbours is right.
// Formula: (1 + TV) / 2, where TV is the largest total variation between the laws of the release on neighbours. Under
//   (eps, delta): (e^eps + delta) / (1 + e^eps), that is delta + (1 - delta) e^eps / (1 + e^eps). Under mu-GDP:
//   Phi(mu / 2). Of a profile: the least over its epsilons, since each point is a promise; at epsilon 0, (1 + delta) / 2.
// Conditions: both candidates are equally likely before. The promise is reached by randomised response, so no smaller
//   number follows from (eps, delta) alone. Results are raised by more than the rounding of a few operations.
// Reference: [Kairouz15, Section 2]; [Dong22, Section 2].
// Fails if wrong: BestGuess.*
#include "sotto/privacy/accountant/best_guess.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"

namespace sotto {
namespace {

constexpr double kGuessRounding = 1 + 0x1p-48;  // of exp, erfc and four operations
constexpr double kFewestApart = 2;              // times away from a coin, or from always
constexpr std::uint64_t kMostTrials = 1'000'000;

double guess_up(double chance) { return std::min(1.0, chance * kGuessRounding); }

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

}  // namespace

double best_guess(double epsilon, double delta) {
  require(epsilon >= 0, "epsilon", "must be at least 0");
  require(delta >= 0 && delta <= 1, "delta", "must lie between 0 and 1");
  return guess_up(1 / (1 + std::exp(-epsilon)) + delta / (1 + std::exp(epsilon)));
}

double best_guess_gaussian(double mu) {
  require(mu >= 0, "mu", "must be at least 0");
  return guess_up(std::erfc(-mu / std::sqrt(8.0)) / 2);
}

double best_guess(std::span<const ProfilePoint> profile) {
  double least = 1;
  for (const ProfilePoint& p : profile) least = std::min(least, best_guess(p.epsilon, p.delta_upper));
  return least;
}

Odds odds_of(double chance) {
  require(chance >= 0.5 && chance <= 1, "chance", "must lie between 1/2 and 1");
  Odds odds;
  const auto too_coarse = [&] {
    const double near = static_cast<double>(odds.of) * std::min(chance - 0.5, 1 - chance);
    return near > 0 && near < kFewestApart && odds.of < kMostTrials;
  };
  while (too_coarse()) odds.of *= 10;
  const double right = std::ceil(chance * static_cast<double>(odds.of));
  odds.right = std::min(static_cast<std::uint64_t>(right), odds.of);
  return odds;
}

std::string best_guess_words(double chance) {
  const Odds odds = odds_of(chance);
  if (odds.right == odds.of) return "someone who knows every other row may guess right every time; a coin has half";
  return fmt::format("someone who knows every other row guesses right at most {} times in {}; a coin has {}",
                     grouped(odds.right), grouped(odds.of), grouped(odds.of / 2));
}

}  // namespace sotto
