#pragma once
#include <span>
#include <string>

#include "sotto/privacy/accountant/curve.h"

/// What a guarantee means to someone who is asked for the risk: how often the best guess about one row is right.
namespace sotto {

/// The opponent knows every other row, sees the release, and decides between two equally likely candidates for the row
/// in question (under add_remove: whether it is there). The largest chance that the guess is right, whatever they do;
/// rounded up, at most 1. A coin has 1/2.
double best_guess(double epsilon, double delta);
/// The same under mu-GDP, such as Gaussian noise.
double best_guess_gaussian(double mu);
/// The least that follows from the upper bounds of a profile. Those of the profile at epsilon 0 are the advantage itself.
double best_guess(std::span<const ProfilePoint> profile);

/// A chance in whole numbers, rounded up: `right` times in `of`, a coin being right in half of them.
struct Odds {
  std::uint64_t right = 0;
  std::uint64_t of = 100;
};
/// Out of 100, or out of more where that would say 50 or 100: never "a coin", and only for the chance 1 "always".
Odds odds_of(double chance);
/// "someone who knows every other row guesses right at most 63 times in 100; a coin has 50".
std::string best_guess_words(double chance);

}  // namespace sotto
