#include <gtest/gtest.h>

#include "sotto/model/promise.h"

namespace sotto {
namespace {

TEST(Promise, IsSaidInWordsThatHoldRoundedUp) {
  PrivacyCard card;
  card.is_private = true;
  card.relation = "replace_one";
  card.epsilon = 1;
  EXPECT_EQ(
      promise_words(card),
      "Promise: if any one row were replaced by another, whatever anybody concludes from this model would be at most "
      "2.719 times as likely (epsilon 1).");
  card.relation = "add_remove";
  card.delta = 1e-6;
  EXPECT_EQ(
      promise_words(card),
      "Promise: if any one row were added or removed, whatever anybody concludes from this model would be at most "
      "2.719 times as likely, plus a probability of at most 1e-06 (epsilon 1, delta 1e-06).");
  card.epsilon = 10000;
  EXPECT_NE(promise_words(card).find("perhaps more than a million times"), std::string::npos);
  card.is_private = false;
  card.not_private_because = {"noise was seeded", "bounds were taken from the rows"};
  EXPECT_EQ(promise_words(card),
            "NOT PRIVATE: this model promises nothing, because noise was seeded; bounds were taken from the rows.");
}

}  // namespace
}  // namespace sotto
