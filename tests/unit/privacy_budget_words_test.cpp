// A budget in words: percent and epsilon first, at most four digits, rounded so that the statement stays true.
#include <gtest/gtest.h>

#include "refusals.h"
#include "sotto/base/error.h"
#include "sotto/model/filter_json.h"
#include "sotto/privacy/ledger/asked_budget.h"
#include "sotto/privacy/ledger/budget_words.h"
#include "sotto/privacy/ledger/default_delta.h"
#include "sotto/privacy/ledger/price.h"

namespace sotto::test {
namespace {

Filter spent(FilterKind kind, double epsilon, double delta, Filter::Cost cost) {
  Filter::State state = Filter::open(kind, {epsilon, delta}).state();
  state.spent = cost;
  return Filter::reopen(state);
}

TEST(AskedBudget, WhatIsLeftOutIsSumAndTheDeltaOfTheRows) {
  const Filter filter = opened_filter({.epsilon = 1}, 32'561);
  EXPECT_EQ(filter.kind(), FilterKind::sum);
  EXPECT_EQ(filter.budget().delta, default_delta(32'561));
  // A delta says nothing about the filter.
  EXPECT_EQ(opened_filter({.epsilon = 1, .delta = 1e-6}, 10).kind(), FilterKind::sum);
  EXPECT_EQ(opened_filter({.epsilon = 1, .delta = 1e-6}, 10).budget().delta, 1e-6);
  EXPECT_EQ(opened_filter({.epsilon = 1, .delta = 0.0}, 10).budget().delta, 0);
  EXPECT_EQ(opened_filter({.epsilon = 1, .filter = "zcdp"}, 32'561).kind(), FilterKind::zcdp);
  EXPECT_THROW(opened_filter({.epsilon = 1, .filter = "zcpd"}, 10), Error);
  EXPECT_THROW(opened_filter({.epsilon = 0}, 10), Error);
  EXPECT_THROW(opened_filter({.epsilon = 1}, 0), Error);  // no rows, no default for delta
  EXPECT_EQ(opened_filter({.epsilon = 1, .delta = 1e-6}, 0).budget().delta, 1e-6);
}

TEST(AskedBudget, HalfOfEpsilonFitsWithoutAWordMore) {
  const Filter filter = opened_filter({.epsilon = 1}, 1000);
  const PlannedCost half{{}, 0.5, 2e-18, 0};
  EXPECT_TRUE(filter.fits(cost_in(filter, half)));
}

TEST(BudgetWords, PercentAndWhatStillFitsComeFirst) {
  EXPECT_EQ(budget_words(spent(FilterKind::sum, 1, 1e-6, {Filter::kLossUnits / 4, 2})),
            "25 percent used; a model of epsilon 0.75 still fits");
  EXPECT_EQ(budget_words(Filter::open(FilterKind::sum, {1, 1e-6})), "0 percent used; a model of epsilon 1 still fits");
  const Filter zcdp = Filter::open(FilterKind::zcdp, {1, 1e-6});
  EXPECT_EQ(budget_words(zcdp).substr(0, 35), "0 percent used; a model of epsilon ");
  EXPECT_NE(budget_words(zcdp).find(" at delta 1e-06 still fits"), std::string::npos) << budget_words(zcdp);
  EXPECT_EQ(currency_words(zcdp), "rho (zCDP): 0 of 0.02435 used, 0.02435 left");
}

TEST(BudgetWords, WhatIsUsedIsRoundedUpAndWhatFitsDown) {
  // A third and one unit, of 3: 33.333...4 percent used, 1.999... left.
  const Filter filter = spent(FilterKind::sum, 3, 1e-6, {Filter::kLossUnits + 1, 0});
  EXPECT_EQ(budget_words(filter), "33.34 percent used; a model of epsilon 1.999 still fits");
  const BudgetUse use = budget_use(filter);
  EXPECT_EQ(use.percent_used, 33.34);
  EXPECT_EQ(use.percent_left, 66.66);
  // No unit of the largest currency is lost on the way.
  const Filter large = spent(FilterKind::sum, 1e4, 0, {Filter::kLossUnits * 10'000 - 1, 0});
  EXPECT_EQ(budget_use(large).percent_used, 100);
  EXPECT_EQ(budget_use(large).percent_left, 0);
}

TEST(BudgetWords, NothingFitsBelowTheSmallestPriceAndNoneIsPromised) {
  const Filter over = spent(FilterKind::sum, 1, 1e-6, {Filter::kLossUnits - 1, 0});
  EXPECT_EQ(budget_words(over), "100 percent used; no model fits any more");
  EXPECT_EQ(budget_use(over).epsilon, 0);
}

TEST(BudgetWords, DeltaIsToldWhereItRunsOutFirst) {
  const Filter filter = spent(FilterKind::sum, 1, 1e-6, {Filter::kLossUnits / 2, 600'000'000'000});
  EXPECT_EQ(budget_words(filter), "50 percent and 60 percent of delta used; a model of epsilon 0.5 still fits");
  EXPECT_EQ(budget_use(filter).percent_used, 60);
  EXPECT_EQ(fits_words(filter, 1e-6), "no model at delta 1e-06 fits");
  EXPECT_EQ(fits_words(filter, 1e-7), "a model of epsilon 0.5 at delta 1e-07 still fits");
  const Filter pure = Filter::open(FilterKind::sum, {1, 0});
  EXPECT_EQ(fits_words(pure), "a model of epsilon 1 still fits, with noise on whole numbers");
}

TEST(BudgetWords, AModelThatIsSaidToFitFits) {
  for (const auto& [name, kind] : enum_names(FilterKind{})) {
    for (const double used : {0.0, 0.25, 0.9}) {
      const Filter fresh = Filter::open(kind, {1, 1e-6});
      const auto loss = static_cast<std::uint64_t>(static_cast<double>(fresh.limit().loss) * used);
      const Filter filter = spent(kind, 1, 1e-6, {loss, 0});
      const BudgetUse use = budget_use(filter);
      ASSERT_GT(use.epsilon, 0) << name;
      const double printed = std::stod(fits_words(filter).substr(19));
      EXPECT_LE(printed, use.epsilon) << name;
      EXPECT_GT(printed, use.epsilon * 0.998) << name;
    }
  }
}

TEST(BudgetWords, ACostIsAPartOfTheBudget) {
  const Filter filter = Filter::open(FilterKind::sum, {4, 1e-6});
  EXPECT_EQ(part_words(filter, {Filter::kLossUnits, 0}), "25 percent of the budget");
  EXPECT_EQ(part_words(filter, {Filter::kLossUnits, 1'000'000'000'000}), "100 percent of the budget");
  EXPECT_EQ(part_words(filter, {Filter::kLossUnits * 100, 0}), "more than 10 times the budget");
  EXPECT_EQ(percent_of(filter, {Filter::kLossUnits / 3, 0}), 8.34) << "rounded up";
  EXPECT_EQ(percent_of(filter, {0, 0}), 0);
  EXPECT_EQ(part_words("1", "4"), "25 percent of the budget");
  EXPECT_EQ(part_words("0.5, delta 1e-9", "1.5, delta 1e-6"), "33.34 percent of the budget");
}

TEST(BudgetWords, AFilterSaysWhatItWouldAllow) {
  const Budget budget{1, 1e-6};
  EXPECT_EQ(models_of_a_tenth(FilterKind::sum, budget), 10);
  EXPECT_NE(filter_words(FilterKind::sum, budget).find("10 models of epsilon 0.1"), std::string::npos);
  for (const FilterKind kind : {FilterKind::zcdp, FilterKind::rdp, FilterKind::gdp}) {
    // As many do fit, one after the other, and a tenth more do not.
    const double models = models_of_a_tenth(kind, budget);
    EXPECT_GT(models, 30) << filter_words(kind, budget);
    EXPECT_NE(filter_words(kind, budget).find("about "), std::string::npos);
  }
  EXPECT_NE(filter_words(FilterKind::gdp, budget).find("none with pure noise"), std::string::npos);
}

TEST(BudgetWords, JsonHasTheWordsAndTheirNumbers) {
  const Json json = budget_json(spent(FilterKind::sum, 1, 1e-6, {Filter::kLossUnits / 4, 0}));
  EXPECT_EQ(json["words"], "25 percent used; a model of epsilon 0.75 still fits");
  EXPECT_EQ(json["percent_used"], 25);
  EXPECT_EQ(json["percent_left"], 75);
  EXPECT_EQ(json["still_fits"]["epsilon"], 0.75);
  EXPECT_EQ(filters_json({1, 0}).size(), 1U) << "the others need a delta";
  EXPECT_EQ(filters_json({1, 1e-6}).size(), 4U);
}

}  // namespace
}  // namespace sotto::test
