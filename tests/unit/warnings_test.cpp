// Warnings are made from public facts, and each one says what to do.
#include "sotto/warnings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sotto/data/encoder.h"
#include "sotto/quote_json.h"

namespace sotto {
namespace {

std::vector<std::string> codes(const GivenFields& fields, const Facts& facts) {
  const TrainRequest request = request_from(fields);
  std::vector<std::string> found;
  for (const Warning& each : warnings_of(request, card_of(request, facts))) {
    EXPECT_GT(each.text.size(), 20U) << each.code;
    found.push_back(each.code);
  }
  return found;
}

double share(const GivenFields& fields, const Facts& facts) {
  const TrainRequest request = request_from(fields);
  return noise_share(request, card_of(request, facts));
}

using Codes = std::vector<std::string>;

TEST(Warnings, AnOrdinaryRequestHasNone) {
  EXPECT_EQ(codes({{"epsilon", "1"}}, {.rows = 32'561, .features = 65}), Codes{});
  EXPECT_EQ(codes({{"epsilon", "1"}, {"delta", "1e-6"}}, {.rows = 32'561, .features = 65}), Codes{});
  EXPECT_EQ(codes({{"epsilon", "1"}, {"method", "bolt_on"}, {"lambda", "0.01"}}, {.rows = 32'561, .features = 65}),
            Codes{});
}

TEST(Warnings, AModelOfNoiseIsForeseen) {
  // Five rows and 64 features: the plan alone says that nothing but noise can come of it.
  const Facts few{.rows = 5, .features = 64};
  const Codes noise{"noise_above_signal", "few_rows"};
  EXPECT_EQ(codes({{"epsilon", "1"}}, few), noise);
  for (const char* method : {"objective", "output", "bolt_on"}) {
    EXPECT_EQ(codes({{"epsilon", "1"}, {"method", method}, {"lambda", "1"}}, few), noise) << method;
  }
  EXPECT_EQ(codes({{"epsilon", "1"}, {"method", "dpgd"}, {"delta", "0.01"}}, few), noise);
  EXPECT_EQ(codes({{"epsilon", "0.001"}}, {.rows = 32'561, .features = 65}), Codes{"noise_above_signal"});
}

TEST(Warnings, NoiseIsMeasuredAlikeForEveryPlaceItGoesTo) {
  const Facts facts{.rows = 10'000, .features = 30};
  // Pure noise of the whole budget on one sum: E|v| = features 2 L X / epsilon, over m L X.
  const double pure = 2 * 30 / 10'000.0;
  EXPECT_NEAR(share({{"epsilon", "1"}, {"method", "output"}, {"lambda", "0.01"}}, facts) / pure, 1, 0.2);
  EXPECT_NEAR(share({{"epsilon", "1"}, {"method", "bolt_on"}, {"lambda", "0.01"}}, facts) / pure, 1, 0.5);
  EXPECT_NEAR(share({{"epsilon", "1"}, {"method", "objective"}, {"lambda", "0.01"}}, facts) / pure, 1, 0.2);
  // Gaussian sums: however many there are, together they say as much as one with the whole budget.
  const auto scans = [&](const char* passes) {
    return share({{"epsilon", "1"}, {"delta", "1e-6"}, {"method", "dpgd"}, {"passes", passes}}, facts);
  };
  EXPECT_NEAR(scans("100") / scans("10"), 1, 0.1);
  EXPECT_LT(scans("10"), pure);
  // Sampled batches as well, up to what sampling gains.
  const double sampled =
      share({{"epsilon", "1"}, {"delta", "1e-6"}, {"method", "dpsgd"}, {"passes", "20"}, {"batch_rows", "500"}}, facts);
  EXPECT_GT(sampled, 0.2 * scans("20"));
  EXPECT_LT(sampled, 5 * scans("20"));
  EXPECT_EQ(share({{"method", "noiseless"}}, facts), 0);
}

TEST(Warnings, NumbersOfTheRequestAreJudged) {
  const Facts facts{.rows = 100'000, .features = 20};
  EXPECT_EQ(codes({{"epsilon", "10"}}, facts), Codes{});
  EXPECT_EQ(codes({{"epsilon", "12"}, {"delta", "1e-6"}}, facts), Codes{"epsilon_large"});
  EXPECT_EQ(codes({{"epsilon", "1e6"}}, facts), (Codes{"epsilon_large", "promise_lowered"}));
  EXPECT_EQ(codes({{"epsilon", "1"}, {"delta", "1e-4"}}, facts), Codes{"delta_large"});
  EXPECT_EQ(codes({{"epsilon", "1"}, {"delta", "1e-5"}}, facts), Codes{}) << "1/rows itself is not above it";
  EXPECT_EQ(codes({{"epsilon", "5"}}, {.rows = 1999, .features = 20}), Codes{"few_rows"});
  EXPECT_EQ(codes({{"epsilon", "5"}}, {.rows = 2000, .features = 20}), Codes{});
  EXPECT_EQ(codes({{"epsilon", "5"}, {"delta", "1e-6"}}, {.rows = 2000, .features = 20, .classes = 3}),
            Codes{"few_rows"});
}

TEST(Warnings, AMethodWithoutNoisePromisesNothingToWarnOf) {
  EXPECT_EQ(codes({{"method", "noiseless"}}, {.rows = 5, .features = 64}), Codes{});
}

TEST(Warnings, ANormThatNobodyDeclaredIsNamed) {
  Schema schema;
  schema.label.column = "y";
  for (const char* name : {"a", "b", "c", "d", "e"}) schema.columns.push_back({name, NumericColumn{Range{0, 9}}});
  schema.columns.push_back({"job", CategoryColumn{{"cook", "clerk"}}});
  TrainRequest request = request_from({{"epsilon", "1"}});
  const Facts facts{.rows = 100'000, .features = 7};
  take_schema(request, schema);
  const std::vector<Warning> found = warnings_of(request, card_of(request, facts));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().code, "norm_assumed");
  EXPECT_NE(found.front().text.find("about 1.7"), std::string::npos) << found.front().text;
  request.norm_assumed.reset();
  schema.data_norm = 1.7;
  take_schema(request, schema);
  EXPECT_TRUE(warnings_of(request, card_of(request, facts)).empty());
}

TEST(Warnings, BoundsThatWereFoundAreNoOtherPromise) {
  TrainRequest request = request_from({{"epsilon", "0.9"}});
  request.bounds_cost = BoundsCost{.relation = "replace_one", .epsilon = 0.1, .delta = 0, .events = {}, .ledger = {}};
  PrivacyCard card = card_of(request, {.rows = 100'000, .features = 7});
  add_bounds_cost(card, *request.bounds_cost);
  EXPECT_TRUE(warnings_of(request, card).empty());
}

TEST(Warnings, ArePartOfAPlanInJson) {
  const TrainRequest request = request_from({{"epsilon", "12"}, {"delta", "1e-6"}});
  const Json plan = planned_json(request, card_of(request, {.rows = 100'000, .features = 20}));
  ASSERT_EQ(plan.at("warnings").size(), 1U);
  EXPECT_EQ(plan.at("warnings")[0].at("code"), "epsilon_large");
  EXPECT_TRUE(plan.at("warnings")[0].at("text").is_string());
}

}  // namespace
}  // namespace sotto
