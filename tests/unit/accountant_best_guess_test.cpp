#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/privacy/accountant/best_guess.h"

namespace sotto {
namespace {

/// The best test between the two laws of randomised response that leaks with probability delta, the worst mechanism of
/// (epsilon, delta), from its definition: half of the sum of the larger chance of each output.
double of_randomised_response(double epsilon, double delta) {
  const double e = std::exp(epsilon);
  const std::vector<double> one{delta, (1 - delta) * e / (1 + e), (1 - delta) / (1 + e), 0};
  const std::vector<double> other{0, (1 - delta) / (1 + e), (1 - delta) * e / (1 + e), delta};
  double right = 0;
  for (std::size_t i = 0; i < one.size(); ++i) right += std::max(one[i], other[i]) / 2;
  return right;
}

TEST(BestGuess, IsThatOfRandomisedResponseAndNeverBelow) {
  for (const double epsilon : {0.0, 1e-6, 0.1, 0.5, 1.0, 3.0, 10.0, 40.0}) {
    for (const double delta : {0.0, 1e-9, 1e-3, 0.25, 1.0}) {
      const double truth = of_randomised_response(epsilon, delta), said = best_guess(epsilon, delta);
      EXPECT_GE(said, truth) << epsilon << " " << delta;
      EXPECT_NEAR(said, truth, 1e-14) << epsilon << " " << delta;
    }
  }
}

TEST(BestGuess, HasTheValuesOfATable) {
  // e/(1 + e), e^0.5/(1 + e^0.5), 0.1 + 0.9 e/(1 + e), by hand to ten digits.
  EXPECT_NEAR(best_guess(1, 0), 0.7310585786, 1e-10);
  EXPECT_NEAR(best_guess(0.5, 0), 0.6224593312, 1e-10);
  EXPECT_NEAR(best_guess(1, 0.1), 0.7579527208, 1e-10);
  EXPECT_EQ(best_guess(1000, 0), 1);
  // Phi(0), Phi(1/2) and Phi(1) of a table of the normal law.
  EXPECT_NEAR(best_guess_gaussian(0), 0.5, 1e-10);
  EXPECT_NEAR(best_guess_gaussian(1), 0.6914624613, 1e-10);
  EXPECT_NEAR(best_guess_gaussian(2), 0.8413447461, 1e-10);
}

TEST(BestGuess, OfGaussianNoiseFollowsFromItsProfile) {
  for (const double mu : {0.05, 0.3, 1.0, 2.5}) {
    const auto profile = privacy_profile(GaussianEvent{mu}, Relation::replace_one, 3, 13);
    EXPECT_NEAR(best_guess(profile), best_guess_gaussian(mu), 1e-9) << mu;
    EXPECT_GE(best_guess(profile), best_guess_gaussian(mu) - 1e-12) << mu;
    // Its (epsilon, delta) at any one point says less.
    const ProfilePoint& point = profile[6];
    EXPECT_GT(best_guess(point.epsilon, point.delta_upper), best_guess(profile)) << mu;
  }
}

TEST(BestGuess, OfANoiseThatIsPureIsThatOfItsEpsilon) {
  const auto profile = privacy_profile(PureEvent{1}, Relation::replace_one, 3, 13);
  EXPECT_NEAR(best_guess(profile), best_guess(1, 0), 1e-9);
  EXPECT_GE(best_guess(profile), best_guess(1, 0) - 1e-12);
}

TEST(BestGuess, WithoutAProfileNothingIsPromised) { EXPECT_EQ(best_guess(std::vector<ProfilePoint>{}), 1); }

TEST(BestGuess, WordsAreNeverBetterThanTheChance) {
  for (double chance = 0.5; chance < 1; chance += 0.000137) {
    const Odds odds = odds_of(chance);
    const double said = static_cast<double>(odds.right) / static_cast<double>(odds.of);
    EXPECT_GE(said, chance);
    // Rounding adds at most half of what the guess has beyond a coin, or what it lacks to be always right.
    EXPECT_LE(said - chance, 0.5 * std::min(chance - 0.5, 1 - chance) + 1e-6) << chance;
  }
}

TEST(BestGuess, WordsHaveWholeNumbers) {
  EXPECT_EQ(best_guess_words(best_guess(0.5, 1e-7)),
            "someone who knows every other row guesses right at most 63 times in 100; a coin has 50");
  EXPECT_EQ(best_guess_words(best_guess(0.01, 0)),
            "someone who knows every other row guesses right at most 503 times in 1,000; a coin has 500");
  EXPECT_EQ(best_guess_words(best_guess(8, 0)),
            "someone who knows every other row guesses right at most 9,997 times in 10,000; a coin has 5,000");
  EXPECT_EQ(best_guess_words(1), "someone who knows every other row may guess right every time; a coin has half");
  EXPECT_EQ(odds_of(best_guess(100, 0)).right, odds_of(best_guess(100, 0)).of);
}

TEST(BestGuess, RefusesWhatIsNoGuarantee) {
  EXPECT_THROW(best_guess(-1, 0), Error);
  EXPECT_THROW(best_guess(std::nan(""), 0), Error);
  EXPECT_THROW(best_guess(1, -0.1), Error);
  EXPECT_THROW(best_guess(1, 1.1), Error);
  EXPECT_THROW(best_guess_gaussian(-1), Error);
  EXPECT_THROW(odds_of(0.4), Error);
}

}  // namespace
}  // namespace sotto
