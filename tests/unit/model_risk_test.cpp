#include <gtest/gtest.h>

#include "sotto/model/promise.h"

namespace sotto {
namespace {

TEST(RiskWords, SayHowOftenTheBestGuessIsRight) {
  PrivacyCard card;
  card.is_private = true;
  card.epsilon = 1;
  EXPECT_EQ(risk_words(card),
            "About one row, someone who knows every other row guesses right at most 74 times in 100; a coin has 50.");
  card.epsilon = 0.1;
  card.delta = 0.5;  // counts too: (e^0.1 + 0.5) / (1 + e^0.1)
  EXPECT_NE(risk_words(card).find("at most 77 times in 100"), std::string::npos) << risk_words(card);
}

TEST(RiskWords, AreLeftOutWhereNothingIsPromised) {
  PrivacyCard card;
  card.epsilon = 1;
  EXPECT_EQ(risk_words(card), "");
}

}  // namespace
}  // namespace sotto
