// Cards that contradict themselves are refused; every card the library writes is taken.
#include <gtest/gtest.h>

#include "sotto/base/error.h"
#include "sotto/methods/method.h"
#include "sotto/model/card_check.h"
#include "sotto/model/json.h"

namespace sotto {
namespace {

PrivacyCard card_of(const Method& method, const PlanInput& input) { return make_card(make_plan(method, input)); }

PrivacyCard some_card() { return card_of(BoltOn{}, {{10000, 5, 1.0, false}, {Logistic{}, 0.01}, {.epsilon = 0.3}}); }

bool is_refused(const Json& json) {
  try {
    card_from_json(json);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::invalid_data);
    EXPECT_NE(std::string(e.what()).find("contradicts itself"), std::string::npos) << e.what();
    return true;
  }
  return false;
}

TEST(CardCheck, TakesEveryCardOfTheCatalogue) {
  int taken = 0;
  int is_private = 0;
  for_each_member<Method>([&](auto tag) {
    using Method = typename decltype(tag)::type;
    for_each_member<Loss>([&](auto loss_tag) {
      using SomeLoss = typename decltype(loss_tag)::type;
      for (const double epsilon : {0.05, 1.0, 8.0}) {
        for (const double delta : {0.0, 1e-6}) {
          for (const double lambda : {0.0, 0.01}) {
            const PlanInput input{{10000, 5, 1.0, false}, {SomeLoss{}, lambda}, {.epsilon = epsilon, .delta = delta}};
            std::optional<PrivacyCard> card;
            try {
              card = card_of(Method{}, input);
            } catch (const Error&) {
              continue;  // the method does not take it
            }
            EXPECT_NO_THROW(card_from_json(to_json(*card)))
                << Method::kName << " " << SomeLoss::kName << " " << epsilon << " " << delta << "\n"
                << card_text(*card);
            ++taken;
            is_private += card->is_private;
          }
        }
      }
    });
  });
  EXPECT_GT(taken, 200);
  EXPECT_GT(is_private, 150);
}

TEST(CardCheck, TakesBoundsThatWereFoundInTheRows) {
  PrivacyCard card = some_card();
  BoundsCost cost;
  cost.relation = card.relation;
  cost.epsilon = 0.1;
  cost.events = {{"exponential", 0.05, 2}};
  add_bounds_cost(card, cost);
  EXPECT_NO_THROW(card_from_json(to_json(card)));
}

TEST(CardCheck, RefusesReasonsAgainstPrivacyBesidePrivate) {
  Json json = to_json(some_card());
  json["not_private_because"] = Json::array({"a seed"});
  EXPECT_TRUE(is_refused(json));
}

TEST(CardCheck, RefusesAMethodWithoutNoiseThatSaysPrivate) {
  const PlanInput input{{10000, 5, 1.0, false}, {Logistic{}, 0.01}, {.epsilon = 1}};
  Json json = to_json(card_of(Noiseless{}, input));
  json["private"] = true;
  json["not_private_because"] = Json::array();
  json["guarantee"] = json["claimed"];
  EXPECT_TRUE(is_refused(json));
  json.erase("claimed");
  EXPECT_TRUE(is_refused(json));
  json["events"] = to_json(some_card())["events"];
  EXPECT_TRUE(is_refused(json)) << "events, and no noise that makes them";
}

TEST(CardCheck, RefusesAGuaranteeBelowItsEvents) {
  Json json = to_json(some_card());
  json["guarantee"]["epsilon"] = 1e-9;
  EXPECT_TRUE(is_refused(json));
  json["guarantee"]["epsilon"] = 0.2999;
  EXPECT_TRUE(is_refused(json));
  json["guarantee"]["epsilon"] = 0.31;
  EXPECT_FALSE(is_refused(json)) << "more than it costs is no lie";
  const PlanInput input{{10000, 5, 1.0, false}, {Logistic{}, 0.01}, {.epsilon = 1, .delta = 1e-6}};
  for (const Method& method : {Method(Dpgd{}), Method(DpAgd{})}) {
    json = to_json(card_of(method, input));
    json["guarantee"]["epsilon"] = 0.9;
    EXPECT_TRUE(is_refused(json)) << json.dump(2);
    json["guarantee"]["epsilon"] = 1;
    json["guarantee"]["delta"] = 1e-7;
    EXPECT_TRUE(is_refused(json)) << json.dump(2);
  }
}

TEST(CardCheck, RefusesNoNoiseAndNoEvents) {
  Json json = to_json(some_card());
  json["noise"]["mechanism"] = "none";
  EXPECT_TRUE(is_refused(json));
  json = to_json(some_card());
  json["noise"]["scale"] = 0;
  EXPECT_TRUE(is_refused(json));
  json = to_json(some_card());
  json["events"] = Json::array();
  EXPECT_TRUE(is_refused(json));
  json = to_json(some_card());
  json["guarantee"]["delta"] = -1;
  EXPECT_TRUE(is_refused(json));
}

}  // namespace
}  // namespace sotto
