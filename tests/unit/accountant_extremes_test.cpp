#include <gtest/gtest.h>

#include <cmath>

#include "sotto/privacy/accountant/pld.h"
#include "sotto/privacy/accountant/report.h"
#include "sotto/privacy/gaussian.h"

namespace sotto {
namespace {

/// The profile of one Poisson-sampled release when a row is removed, in 60 digits: q delta_G(mu; ln(1 + (e^e - 1)/q)).
double sampled_delta(double rate, double mu, double epsilon) {
  const double inner = epsilon > 500 ? epsilon - std::log(rate) : std::log1p(std::expm1(epsilon) / rate);
  return rate * gaussian_delta(mu, inner);
}

void expect_around(const Bound& bound, double truth) {
  EXPECT_LE(bound.lower, truth * (1 + 1e-9));
  EXPECT_GE(bound.upper, truth * (1 - 1e-9));
}

// The divergence integral of fixed-size sampling once lost its largest terms where e^loss leaves the range of a double.
TEST(AccountantExtremes, FixedSizeBatchesWithLittleNoiseKeepTheirLargestLosses) {
  const double rate = 1e-3, delta = 5e-4;
  for (const double noise : {0.04, 0.045, 0.05, 0.1, 0.3}) {
    const AccountReport report =
        account_epsilon(FixedSizeSampledEvent{rate, noise}, Relation::replace_one, delta, AccountantChoice::rdp);
    EXPECT_LE(sampled_delta(rate, 2 / noise, report.value.upper), delta) << noise;
    const AccountReport all = account_epsilon(FixedSizeSampledEvent{rate, noise}, Relation::replace_one, delta);
    EXPECT_LE(sampled_delta(rate, 2 / noise, all.value.upper), delta) << noise;
  }
}

TEST(AccountantExtremes, PoissonBatchesWithLittleNoiseKeepTheirLargestLosses) {
  for (const double noise : {0.03, 0.035, 0.04, 0.05}) {
    for (const Relation relation : {Relation::add_remove, Relation::replace_one}) {
      const AccountReport report = account_epsilon(PoissonSampledEvent{1e-3, noise}, relation, 5e-4);
      EXPECT_LE(sampled_delta(1e-3, 1 / noise, report.value.upper), 5e-4) << noise;
    }
  }
}

TEST(AccountantExtremes, MassesBelowTheRangeOfADoubleAreNotTakenForNothing) {
  for (const double epsilon : {600.0, 700.0, 739.9, 800.0}) {
    const double mu = 38;
    expect_around(pld_delta(GaussianEvent{mu}, Relation::add_remove, epsilon), gaussian_delta(mu, epsilon));
  }
  expect_around(pld_delta(PoissonSampledEvent{0.1, 0.04395955202176312}, Relation::add_remove, 613.8403990611187),
                sampled_delta(0.1, 1 / 0.04395955202176312, 613.8403990611187));
  const double mu = std::sqrt(13.0) / 0.0887;
  const Bound bound = pld_epsilon(repeat(GaussianEvent{1 / 0.0887}, 13), Relation::add_remove, 0.0075);
  EXPECT_LE(gaussian_delta(mu, bound.upper), 0.0075);
  EXPECT_GE(gaussian_delta(mu, bound.lower), 0.0075 * (1 - 1e-9));
}

TEST(AccountantExtremes, DeltasThatUnderflowAreNotZero) {
  EXPECT_GT(pld_delta(PoissonSampledEvent{0.5, 1}, Relation::add_remove, 1000).upper, 0);
  EXPECT_GT(account_delta(PoissonSampledEvent{0.5, 1}, Relation::add_remove, 1000).value.upper, 0);
  // Bounded losses do end.
  EXPECT_EQ(account_delta(PureEvent{1}, Relation::add_remove, 1.5).value.upper, 0);
  EXPECT_EQ(account_delta(ScalarLaplaceEvent{1}, Relation::add_remove, 1.5).value.upper, 0);
  // Laplace noise has a largest loss: below the sum of a thousand of them nothing is 0, above it all is.
  const Event thousand = repeat(PoissonSampledEvent{.rate = 0.1, .noise = 0.01, .law = NoiseLaw::laplace}, 1000);
  const double largest = 1000 * std::log1p(0.1 * std::expm1(100));
  EXPECT_GT(pld_delta(thousand, Relation::add_remove, largest * 0.99).upper, 0);
  EXPECT_EQ(pld_delta(thousand, Relation::add_remove, largest * 1.01).upper, 0);
}

TEST(AccountantExtremes, TailsFarOutAreOffByMoreThanTheirLastDigit) {
  struct Case {
    double rate, noise, epsilon;
  };
  for (const Case& c : {Case{0.999, 18477743.546638902, 1.7446635445638653e-06},
                        Case{1, 27861267.579697296, 1.2646280944855436e-06}, Case{0.5, 1e5, 1e-4}}) {
    const Event event = c.rate < 1 ? Event(PoissonSampledEvent{c.rate, c.noise}) : Event(GaussianEvent{1 / c.noise});
    expect_around(pld_delta(event, Relation::add_remove, c.epsilon), sampled_delta(c.rate, 1 / c.noise, c.epsilon));
  }
}

TEST(AccountantExtremes, LowerBoundsOfExactFormulasAllowForTheirArgument) {
  // delta(0) of mu = 1 to the last digit: the epsilon that belongs to it is 0 up to rounding.
  const double delta = 0.38292492254802618;
  EXPECT_LE(account_epsilon(GaussianEvent{1}, Relation::add_remove, delta, AccountantChoice::gdp).value.lower, 1e-17);
  EXPECT_EQ(account_delta(GaussianEvent{1}, Relation::add_remove, 1000, AccountantChoice::gdp).value.lower, 0);
}

}  // namespace
}  // namespace sotto
