#include "sotto/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sotto/base/error.h"
#include "sotto/catalogue.h"

namespace sotto {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

Error refusal(const GivenFields& given) {
  try {
    request_from(given);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "was taken";
  return {ErrorKind::internal, ""};
}

TEST(Request, IsMadeFromNamedFields) {
  const TrainRequest request = request_from({{"method", "bolt_on"},
                                             {"passes", "7"},
                                             {"loss", "huber_svm"},
                                             {"huber_width", "0.25"},
                                             {"lambda", "0.5"},
                                             {"epsilon", "2"},
                                             {"delta", "1e-6"},
                                             {"order_seed", "11"}});
  EXPECT_EQ(name_of(request.method), "bolt_on");
  EXPECT_EQ(std::get<BoltOn>(request.method).sgd.passes, 7U);
  EXPECT_EQ(std::get<HuberSvm>(request.problem.loss).huber_width, 0.25);
  EXPECT_EQ(request.problem.lambda, 0.5);
  EXPECT_EQ(request.budget.epsilon, 2);
  EXPECT_EQ(request.budget.delta, 1e-6);
  EXPECT_EQ(request.order_seed, 11U);
}

TEST(Request, WithoutAMethodTheDefaultTrains) {
  EXPECT_EQ(name_of(request_from({{"epsilon", "1"}}).method), "auto");
  EXPECT_EQ(name_of(request_from({{"epsilon", "1"}}, "shard_average").method), "shard_average");
}

TEST(Request, WhatIsNoFieldAnywhereIsRefused) {
  const Error error = refusal({{"method", "bolt_on"}, {"colour", "red"}});
  EXPECT_EQ(error.kind(), ErrorKind::invalid_argument);
  EXPECT_EQ(error.field(), "colour");
  EXPECT_STREQ(error.what(), "colour: method bolt_on with loss logistic has no parameter colour");
  EXPECT_EQ(error.hint().kind, HintKind::none);
}

TEST(Request, AFieldOfOtherMethodsNamesThem) {
  const Error chosen = refusal({{"method", "auto"}, {"passes", "3"}});
  EXPECT_EQ(chosen.field(), "passes");
  EXPECT_STREQ(chosen.what(), "passes: method auto chooses it");
  EXPECT_EQ(chosen.hint().kind, HintKind::other_choice);
  EXPECT_EQ(chosen.hint().arguments.front(), "method");
  EXPECT_THAT(chosen.hint().arguments, Contains("bolt_on"));
  EXPECT_THAT(chosen.hint().arguments, Not(Contains("auto")));
  EXPECT_STREQ(refusal({{"method", "objective"}, {"passes", "3"}}).what(), "passes: method objective has none");
}

TEST(Request, AFieldOfAnotherStepOrLossNamesThat) {
  const Error step = refusal({{"method", "bolt_on"}, {"step", "inverse"}, {"step_size", "0.1"}});
  EXPECT_STREQ(step.what(), "step_size: step inverse has none");
  EXPECT_EQ(step.hint().arguments.front(), "step");
  EXPECT_THAT(step.hint().arguments, Contains("constant"));
  const Error loss = refusal({{"method", "bolt_on"}, {"loss", "logistic"}, {"huber_width", "0.1"}});
  EXPECT_STREQ(loss.what(), "huber_width: loss logistic has none");
  EXPECT_THAT(loss.hint().arguments, ElementsAre("loss", "huber_svm"));
}

TEST(Request, AValueThatAFieldCannotTakeIsRefusedInThatField) {
  for (const auto& [name, text] : GivenFields{
           {"method", "magic"}, {"epsilon", "much"}, {"order_seed", "-1"}, {"relation", "sister"}, {"loss", "none"}}) {
    const Error error = refusal({{name, text}});
    EXPECT_EQ(error.kind(), ErrorKind::invalid_argument) << name;
    EXPECT_EQ(error.field(), name);
  }
}

TEST(Request, EveryParameterOfTheCatalogueIsTakenByItsMethod) {
  for (const Json& method : catalogue()["methods"]) {
    for (const Json& parameter : method["parameters"]) {
      const auto text = parameter["default"].get<std::string>();
      if (text.empty()) continue;  // an optional one that is not set
      const GivenFields given{{"method", method["name"]}, {parameter["name"], text}};
      EXPECT_NO_THROW(request_from(given)) << method["name"] << " " << parameter["name"];
    }
  }
}

}  // namespace
}  // namespace sotto
