#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/privacy/accountant/filter.h"
#include "sotto/privacy/accountant/gdp.h"
#include "sotto/privacy/accountant/pure.h"
#include "sotto/privacy/accountant/rdp.h"
#include "sotto/privacy/accountant/zcdp.h"
#include "sotto/privacy/gaussian.h"

namespace sotto {
namespace {

Budget budget(double epsilon, double delta) { return {epsilon, delta, Relation::replace_one}; }

TEST(AccountantFilter, TenthAndFifthFitInThreeTenthsAndNothingMore) {
  Filter filter = Filter::open(FilterKind::sum, budget(0.3, 0));
  EXPECT_TRUE(filter.try_spend(PureEvent{0.1}));
  EXPECT_TRUE(filter.try_spend(PureEvent{0.2}));
  EXPECT_EQ(filter.remaining().loss, 0u);
  EXPECT_FALSE(filter.try_spend(PureEvent{1e-12}));
  EXPECT_EQ(Filter::text_of(filter.spent()), "0.3");
}

TEST(AccountantFilter, NestedRepeatsDoNotWrapToNothing) {
  constexpr std::uint64_t kMany = std::uint64_t{1} << 32;
  for (const FilterKind kind : {FilterKind::sum, FilterKind::gdp, FilterKind::zcdp}) {
    Filter filter = Filter::open(kind, budget(1, 1e-6));
    for (const Event& event : {Event(GaussianEvent{1}), Event(PureEvent{1})}) {
      EXPECT_THROW(filter.try_spend(repeat(repeat(event, kMany), kMany)), Error);
    }
    EXPECT_EQ(filter.spent(), (Filter::Cost{}));
  }
}

TEST(AccountantFilter, AnAmountBelowOneUnitCostsAWholeUnit) {
  const Filter filter = Filter::open(FilterKind::sum, budget(1, 1e-6));
  EXPECT_EQ(filter.cost_of(PureEvent{1e-15}).loss, 1u);
  EXPECT_EQ(filter.cost_of(ApproximateEvent{0, 1e-30}).delta, 1u);
  EXPECT_EQ(filter.cost_of(ApproximateEvent{0.25, 1e-7}), (Filter::Cost{250'000'000'000, 100'000'000'000}));
}

TEST(AccountantFilter, SpendingTooMuchThrowsAndSpendsNothing) {
  Filter filter = Filter::open(FilterKind::sum, budget(1, 0));
  filter.spend(filter.cost_of(PureEvent{0.75}));
  try {
    filter.spend(filter.cost_of(PureEvent{0.5}));
    FAIL() << "over-spending was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::budget_exceeded);
    EXPECT_NE(std::string(error.what()).find("only 0.25 is left"), std::string::npos) << error.what();
  }
  EXPECT_EQ(Filter::text_of(filter.spent()), "0.75");
}

TEST(AccountantFilter, TheWholeLimitOfEveryKindConvertsToItsBudget) {
  for (const double epsilon : {0.01, 1.0, 8.0}) {
    for (const double delta : {1e-5, 1e-9}) {
      const Budget b = budget(epsilon, delta);
      const double rho = static_cast<double>(Filter::open(FilterKind::zcdp, b).limit().loss) * 1e-12;
      EXPECT_LE(zcdp_delta(rho, epsilon), delta);
      EXPECT_GE(zcdp_delta(rho * 1.001 + 2e-12, epsilon), delta * 0.999);
      const double squared = static_cast<double>(Filter::open(FilterKind::gdp, b).limit().loss) * 1e-12;
      EXPECT_LE(gaussian_delta(std::sqrt(squared), epsilon), delta);
      EXPECT_GE(gaussian_delta(std::sqrt(squared * 1.001 + 2e-12), epsilon), delta * 0.999);
      const Filter rdp = Filter::open(FilterKind::rdp, b);
      const double divergence = static_cast<double>(rdp.limit().loss) * 1e-12;
      EXPECT_LE(rdp_to_epsilon(rdp.rdp_order(), divergence, delta), epsilon);
      EXPECT_GE(rdp_to_epsilon(rdp.rdp_order(), divergence * 1.01 + 2e-12, delta), epsilon * 0.999);
    }
  }
}

TEST(AccountantFilter, CostsAreThoseOfTheCurrency) {
  const Budget b = budget(1, 1e-6);
  EXPECT_NEAR(static_cast<double>(Filter::open(FilterKind::zcdp, b).cost_of(GaussianEvent{0.1}).loss), 0.005e12, 2);
  EXPECT_NEAR(static_cast<double>(Filter::open(FilterKind::zcdp, b).cost_of(PureEvent{0.1}).loss), 0.005e12, 2);
  EXPECT_NEAR(static_cast<double>(Filter::open(FilterKind::zcdp, b).cost_of(ExponentialEvent{0.1}).loss), 0.00125e12,
              2);
  EXPECT_NEAR(static_cast<double>(Filter::open(FilterKind::gdp, b).cost_of(repeat(GaussianEvent{0.1}, 3)).loss),
              0.03e12, 2);
  const Filter rdp = Filter::open(FilterKind::rdp, b, 32);
  EXPECT_NEAR(static_cast<double>(rdp.cost_of(GaussianEvent{0.1}).loss), 0.16e12, 2);
  EXPECT_THROW(Filter::open(FilterKind::rdp, b, 8), Error) << "no divergence of order 8 gives this budget";
}

TEST(AccountantFilter, CostsNeverRoundDown) {
  const Filter filter = Filter::open(FilterKind::zcdp, budget(1, 1e-6));
  for (const double mu : {0.1, 0.3, 1.0 / 3, 0.07071067811865475}) {
    const long double rho = static_cast<long double>(mu) * mu / 2;
    EXPECT_GE(static_cast<long double>(filter.cost_of(GaussianEvent{mu}).loss), rho * 1e12L);
  }
}

TEST(AccountantFilter, EachKindRefusesWhatItCannotTreat) {
  const Budget b = budget(1, 1e-6);
  const PoissonSampledEvent sampled{0.01, 1};
  EXPECT_THROW(Filter::open(FilterKind::gdp, b).cost_of(PureEvent{0.1}), Error);
  EXPECT_THROW(Filter::open(FilterKind::gdp, b).cost_of(sampled), Error);
  EXPECT_THROW(Filter::open(FilterKind::sum, b).cost_of(GaussianEvent{0.1}), Error);
  EXPECT_THROW(Filter::open(FilterKind::zcdp, b).cost_of(sampled), Error);
  EXPECT_THROW(Filter::open(FilterKind::zcdp, b).cost_of(ApproximateEvent{0.1, 1e-9}), Error);
  EXPECT_NO_THROW(Filter::open(FilterKind::rdp, b).cost_of(sampled));
  EXPECT_THROW(Filter::open(FilterKind::zcdp, budget(1, 0)), Error);
}

TEST(AccountantFilter, AStoredStateReopensAndAnEditedOneDoesNot) {
  Filter filter = Filter::open(FilterKind::zcdp, budget(1, 1e-6));
  ASSERT_TRUE(filter.try_spend(GaussianEvent{0.05}));
  Filter again = Filter::reopen(filter.state());
  EXPECT_EQ(again.spent(), filter.spent());
  EXPECT_EQ(again.limit(), filter.limit());
  Filter::State edited = filter.state();
  edited.limit.loss += 1;
  EXPECT_THROW(Filter::reopen(edited), Error);
  edited = filter.state();
  edited.spent.loss = edited.limit.loss + 1;
  EXPECT_THROW(Filter::reopen(edited), Error);
}

TEST(AccountantFilter, WhatIsSaidToFitFitsAndALittleMoreDoesNot) {
  for (const FilterKind kind : {FilterKind::sum, FilterKind::zcdp, FilterKind::rdp, FilterKind::gdp}) {
    Filter filter = Filter::open(kind, budget(1, 1e-6));
    if (kind == FilterKind::sum) filter.spend(filter.cost_of(PureEvent{0.5}));
    for (const Filter::Fit& fit : filter.what_fits()) {
      const auto event = [&](double value) -> Event {
        if (fit.event == "gaussian") return GaussianEvent{value};
        if (fit.event == "discrete_gaussian") return DiscreteGaussianEvent{value};
        if (fit.event == "pure") return PureEvent{value};
        if (fit.event == "approximate") return ApproximateEvent{0, value};
        return ExponentialEvent{value};
      };
      ASSERT_GT(fit.largest, 0) << fit.event;
      EXPECT_TRUE(filter.fits(filter.cost_of(event(fit.largest)))) << fit.event;
      EXPECT_FALSE(filter.fits(filter.cost_of(event(fit.largest * 1.0001)))) << fit.event;
    }
  }
}

TEST(AccountantFilter, NumericalDistanceIsChargedAtTheBudgetsEpsilon) {
  const Filter filter = Filter::open(FilterKind::zcdp, budget(2, 1e-6));
  const double expected = (1 + std::exp(2.0)) * 1e-12 * 1e18;
  EXPECT_NEAR(static_cast<double>(filter.cost_of(GaussianEvent{0.1}, 1e-12).delta), expected, expected * 1e-6);
  EXPECT_FALSE(filter.fits(filter.cost_of(GaussianEvent{0.01}, 1e-9)));
  // A delta of 1 promises nothing, so nothing costs more.
  const Filter loose = Filter::open(FilterKind::zcdp, budget(1e4, 1e-6));
  EXPECT_EQ(loose.cost_of(GaussianEvent{0.1}, 1e-15).delta, Filter::kDeltaUnits);
}

TEST(AccountantFilter, ABudgetOutOfReachSaysTheLimitThatHoldsThere) {
  const auto said = [](double epsilon, bool training) {
    try {
      training ? budget(epsilon, 0).within_reach().check() : budget(epsilon, 0).check();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(said(1e4, false), "");
  EXPECT_EQ(said(2e4, false), "epsilon: got 20000, must be above 0 and at most 10000");
  EXPECT_EQ(said(1e6, true), "");
  EXPECT_EQ(said(2e6, true), "epsilon: got 2e+06, must be above 0 and at most 1000000");
  EXPECT_NE(said(-1, true).find("above 0"), std::string::npos);
  EXPECT_EQ(budget(1e6, 0).within_reach().epsilon, 1e4);
}

// Spec 6.4. A first randomised response of epsilon a. After its likely answer the analyst asks a second one of pure
// epsilon b, justified by the exact profile of the plan (a, b); after the unlikely answer one that tells all with
// probability d, justified by basic composition. Each path keeps (e, d) by its own accountant; the whole does not.
struct Answer {
  double p, q;  // probability under either neighbour
};
std::vector<Answer> randomised_response(double epsilon) {
  const double p = std::exp(epsilon) / (1 + std::exp(epsilon));
  return {{p, 1 - p}, {1 - p, p}};
}
std::vector<Answer> tells_all(double delta) { return {{delta, 0}, {1 - delta, 1 - delta}, {0, delta}}; }

double delta_after(const Answer& first, const std::vector<Answer>& second, double epsilon) {
  double sum = 0;
  for (const Answer& answer : second) sum += std::max(0.0, first.p * answer.p - std::exp(epsilon) * first.q * answer.q);
  return sum;
}

TEST(AccountantFilter, WhatWasGrantedIsPrintedAsItWasGranted) {
  Filter filter = Filter::open(FilterKind::sum, {2, 1e-6});
  EXPECT_EQ(Filter::text_of(filter.limit()), "2, delta 1e-06") << "not 1.0000000000000002e-06";
  EXPECT_EQ(filter.limit().delta_number(), 1e-6);
  EXPECT_EQ(filter.limit().loss_number(), 2.0);
  EXPECT_EQ(filter.remaining_delta(), 1e-6);
  EXPECT_EQ(filter.what_fits().front().largest, 2) << "to the last bit";
  EXPECT_EQ(Filter::text_of(Filter::open(FilterKind::zcdp, {2, 1e-6}).limit()).substr(14), ", delta 9.99999999e-10");
  for (const double delta : {1e-6, 3e-7, 0.1 + 0.2, 1.0 / 3, 0x1p-40, 1e-18}) {
    const Filter other = Filter::open(FilterKind::sum, {1, delta});
    EXPECT_LE(other.remaining_delta(), delta);
    EXPECT_TRUE(other.fits(other.cost_of(ApproximateEvent{1, other.remaining_delta()}))) << delta;
  }
  for (const double left : {0.3, 0.1, 0.7, 1.1}) {
    Filter spent = Filter::open(FilterKind::sum, {2, 0});
    spent.spend(spent.cost_of(PureEvent{2 - left}));
    const double largest = spent.what_fits().front().largest;
    EXPECT_TRUE(spent.fits(spent.cost_of(PureEvent{largest})));
    EXPECT_FALSE(spent.fits(spent.cost_of(PureEvent{std::nextafter(largest, 9.0)})));
  }
}

TEST(AccountantFilter, MinimumOverAccountantsAlongThePathFails) {
  const double a = 1, e = 1.5, d = 0.1;
  const auto first = randomised_response(a);
  const auto planned = [&](const std::vector<Answer>& second) {
    return delta_after(first[0], second, e) + delta_after(first[1], second, e);
  };
  double b = e - a;
  while (planned(randomised_response(b + 1e-5)) <= d) b += 1e-5;
  ASSERT_LE(planned(randomised_response(b)), d);  // path 1, exact profile
  const PureSum second_path = pure_sum(sequence({PureEvent{a}, ApproximateEvent{0, d}}), Relation::replace_one);
  ASSERT_TRUE(second_path.epsilon <= exact_of(e) && second_path.delta <= exact_of(d));  // path 2, basic composition

  const double truth = delta_after(first[0], randomised_response(b), e) + delta_after(first[1], tells_all(d), e);
  EXPECT_GT(truth, 1.2 * d) << "each path keeps (e, d), the adaptive whole does not";

  Filter filter = Filter::open(FilterKind::sum, {e, d, Relation::replace_one});
  ASSERT_TRUE(filter.try_spend(PureEvent{a}));
  EXPECT_FALSE(filter.try_spend(PureEvent{b}));
  EXPECT_TRUE(filter.try_spend(ApproximateEvent{0, d}));
}

}  // namespace
}  // namespace sotto
