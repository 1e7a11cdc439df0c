#include "sotto/training_ahead.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data_testing.h"
#include "sotto/methods/bounds_plan.h"

namespace sotto {
namespace {

using testing::error_of;
using testing::TempFile;

TrainRequest asking(double epsilon, const Method& method) {
  TrainRequest request;
  request.budget.epsilon = epsilon;
  request.method = method;
  return request;
}

TEST(TrainingAhead, ANormThatIsTakenStays) {
  const TrainRequest request = asking(1, Auto{});
  TrainingAhead ahead(request);
  ahead.require({{5000, 10, 1, false, 2}});
  for (const double norm : {0.01, 1.0, 37.0}) EXPECT_EQ(ahead.norm_for(norm, {5000, 10, 1, false, 2}), norm);
}

TEST(TrainingAhead, ANormThatIsNotTakenBecomesTheNearestThatIs) {
  const TrainRequest request = asking(1, Auto{});
  TrainingAhead ahead(request);
  for (const std::uint64_t rows : {40U, 5000U}) {
    Facts facts{rows, 3, 1, false, 2};
    ahead.require({facts});
    for (const double constant : {0.0, 1.0}) {
      const double norm = ahead.norm_for(1e6, facts, constant);
      EXPECT_GT(norm, 1);
      EXPECT_LE(norm, 1e6);
      const auto plan = [&](double at) {
        facts.data_norm = std::hypot(at, constant);
        plan_of(request, facts);
      };
      EXPECT_NO_THROW(plan(norm));
      if (norm < 1e6) {
        EXPECT_THROW(plan(norm * 1.01), Error);
      }
    }
  }
}

TEST(TrainingAhead, WhatIsRefusedAtEveryNormIsRefusedAtOnce) {
  TrainRequest request = asking(1, Auto{});
  request.problem.lambda = 1e7;
  TrainingAhead ahead(request);
  EXPECT_EQ(error_of([&] { ahead.require({{100, 3, 1, false, 2}}); }).first, ErrorKind::invalid_argument);
}

TEST(TrainingAhead, FeaturesAreCountedFromTheFewestToTheMost) {
  const TempFile file("people.csv", "age,job,home,y\n30,cook,town,1\n");
  BoundsRequest request;
  request.schema.label.column = "y";
  request.schema.columns = {{"job", CategoryColumn{}}, {"home", CategoryColumn{}}};
  request.budget = {1, 1e-6};
  request.max_categories = 20;
  request.data_norm = true;
  const std::vector<Facts> possible = possible_facts(plan_bounds(file.path(), request), request, 700);
  ASSERT_GT(possible.size(), 3U);
  EXPECT_EQ(possible.front().features, 2U);  // the intercept among them
  EXPECT_EQ(possible.back().features, 42U);
  for (const Facts& facts : possible) {
    EXPECT_EQ(facts.rows, 700U);
    EXPECT_EQ(facts.data_norm, TrainingAhead::kSureNorm);
  }
  request.columns = false;
  request.schema.columns = {{"job", IgnoredColumn{}}, {"home", IgnoredColumn{}}};
  EXPECT_EQ(possible_facts(plan_bounds(file.path(), request), request, 700).size(), 1U);
}

}  // namespace
}  // namespace sotto
