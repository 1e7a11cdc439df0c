#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sotto/base/error.h"
#include "sotto/privacy/accountant/exact.h"
#include "sotto/privacy/accountant/gdp.h"
#include "sotto/privacy/accountant/loss_law.h"
#include "sotto/privacy/accountant/pld.h"
#include "sotto/privacy/accountant/pure.h"
#include "sotto/privacy/accountant/rdp.h"
#include "sotto/privacy/accountant/release_plan.h"
#include "sotto/privacy/accountant/sampled_rdp.h"
#include "sotto/privacy/accountant/selection.h"
#include "sotto/privacy/accountant/worlds.h"
#include "sotto/privacy/accountant/zcdp.h"
#include "sotto/privacy/gaussian.h"

namespace sotto {
namespace {

constexpr Relation kReplace = Relation::replace_one;
constexpr Relation kAddRemove = Relation::add_remove;

double pure_epsilon(const Event& event, Relation relation = kReplace) {
  return rounded_up(pure_sum(event, relation).epsilon);
}

TEST(AccountantPure, TenthAndFifthFitInThreeTenths) {
  EXPECT_EQ(pure_epsilon(sequence({PureEvent{0.1}, PureEvent{0.2}})), 0.3);
  EXPECT_EQ(pure_epsilon(repeat(PureEvent{0.1}, 10)), 1.0);
  EXPECT_EQ(pure_epsilon(repeat(L2LaplaceEvent{1e-3}, 1000000)), 1000.0);
  EXPECT_GT(0.1 + 0.2, 0.3) << "what doubles do by themselves";
}

TEST(AccountantPure, SpellingsOfDoublesAreExact) {
  EXPECT_EQ(exact_of(0.1), Exact(1, 10));
  EXPECT_EQ(exact_of(1e-7) * 10000000, 1);
  EXPECT_EQ(exact_of(12345.678), Exact(12345678, 1000));
  EXPECT_EQ(exact_of(0), 0);
  EXPECT_EQ(rounded_up(exact_of(0.1) + Exact(1, boost::multiprecision::cpp_int(1) << 200)), std::nextafter(0.1, 1.0));
}

TEST(AccountantPure, DeltasOfApproximateEventsAdd) {
  const PureSum sum = pure_sum(sequence({ApproximateEvent{1, 0.1}, repeat(ApproximateEvent{0.5, 0.05}, 2)}), kReplace);
  EXPECT_EQ(sum.epsilon, 2);
  EXPECT_EQ(sum.delta, Exact(2, 10));
}

TEST(AccountantPure, SamplingAmplifiesPureNoise) {
  const PoissonSampledEvent event{0.2, 0.5, NoiseLaw::laplace};
  EXPECT_NEAR(pure_epsilon(repeat(event, 3), kAddRemove), 2.469644972, 1e-8);  // published
  EXPECT_NEAR(pure_epsilon(event, kReplace), std::log1p(0.2 * std::expm1(2)) - std::log1p(0.2 * std::expm1(-2)), 1e-12);
}

TEST(AccountantPure, RefusesWhatHasNoBoundAndSaysWhy) {
  for (const Event& event :
       {Event(GaussianEvent{1}), Event(DiscreteGaussianEvent{1}), Event(PoissonSampledEvent{0.1, 1}),
        Event(FixedSizeSampledEvent{0.1, 1}), select_best(PureEvent{1}, PoissonRuns{10})}) {
    try {
      pure_sum(event, kReplace);
      ADD_FAILURE() << event_text(event);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unsupported);
      EXPECT_NE(std::string(error.what()).find("pure cannot account"), std::string::npos);
    }
  }
}

TEST(AccountantZcdp, CostsAreThoseOfTheLiterature) {
  EXPECT_NEAR(zcdp_rho_of(GaussianEvent{0.5}, kReplace), 0.125, 1e-12);
  EXPECT_NEAR(zcdp_rho_of(PureEvent{0.5}, kReplace), 0.125, 1e-12);
  EXPECT_NEAR(zcdp_rho_of(ExponentialEvent{0.5}, kReplace), 0.03125, 1e-12);
  EXPECT_NEAR(zcdp_rho_of(repeat(DiscreteGaussianEvent{0.01}, 7), kReplace), 0.07, 1e-12);
  EXPECT_THROW(zcdp_rho_of(ApproximateEvent{1, 1e-9}, kReplace), Error);
}

TEST(AccountantZcdp, ConversionIsTheOptimalOne) {
  // A published value for rho = 1/32 at delta = 1e-3, and the simple formula rho + 2 sqrt(rho ln 1/delta) as a ceiling.
  EXPECT_NEAR(zcdp_epsilon(0.03125, 1e-3), 0.6880024554878085, 1e-6);
  EXPECT_LT(zcdp_epsilon(1, std::exp(-1.0)), 3);
  EXPECT_LT(zcdp_epsilon(1, std::exp(-4.0)), 5);
  EXPECT_GT(zcdp_epsilon(1, 1e-6), gdp_epsilon(std::numbers::sqrt2, 1e-6))
      << "a conversion cannot beat the exact profile";
  EXPECT_EQ(zcdp_epsilon(0, 1e-6), 0);
}

TEST(AccountantGdp, ExactValues) {
  EXPECT_NEAR(gdp_epsilon(1, 1e-5), 4.377178096, 1e-8);
  EXPECT_NEAR(gdp_epsilon(gdp_mu_of(repeat(GaussianEvent{1 / 0.7}, 2), kAddRemove), 1e-5), 10.1224946, 1e-7);
  EXPECT_NEAR(gdp_epsilon(gdp_mu_of(repeat(GaussianEvent{1 / 0.35}, 2), kAddRemove), 1e-5), 24.7160779, 1e-7);
  EXPECT_NEAR(gdp_mu_of(sequence({GaussianEvent{3}, GaussianEvent{4}}), kReplace), 5, 1e-12);
  EXPECT_NEAR(gaussian_delta(1.0 / 14, 1), 6.486452831e-47, 1e-55);
  EXPECT_EQ(gdp_epsilon(1, 0.5), 0) << "delta(0) is already below one half";
  EXPECT_THROW(gdp_mu_of(PoissonSampledEvent{0.01, 1}, kAddRemove), Error);
}

TEST(AccountantGdp, NothingOfATinyShiftIsLost) {
  EXPECT_NEAR(gdp_mu_of(repeat(GaussianEvent{1e-170}, 100), kReplace) / 1e-169, 1, 1e-14);
  EXPECT_GE(gdp_mu_of(GaussianEvent{1e-300}, kReplace), 1e-300);
  EXPECT_GT(gdp_epsilon(1e-62, 1e-100), 1e-61) << "delta(0) is 4e-63";
  for (const double mu : {1e-160, 1e-165, 1e-200}) EXPECT_GT(zcdp_rho_of(GaussianEvent{mu}, kReplace), 0) << mu;
  EXPECT_GE(zcdp_rho_of(GaussianEvent{1.4e-161}, kReplace), 9.8e-323);
  const World merged = with_merged_gaussians({{GaussianEvent{1e-200}, 4, Side::replace}});
  ASSERT_EQ(merged.size(), 1u) << "a shift whose square underflows is still a release";
  EXPECT_NEAR(std::get<GaussianEvent>(merged.front().leaf).mu / 2e-200, 1, 1e-14);
  EXPECT_THROW((ReleasePlan{.noise = 1e151}.event(kReplace)), Error) << "squares leave the range of a double";
}

TEST(AccountantRdp, SampledGaussianAgreesWithPublishedDivergences) {
  struct Row {
    double rate, noise, order, expected;
  };
  const Row rows[] = {{0.01, 1, 1.25, 0.000105398005098},     {0.01, 1, 2, 0.000171813422075},
                      {0.01, 1, 4.5, 0.000414927067325},      {0.01, 1, 10, 0.0382704188949},
                      {0.01, 1, 64, 27.3217318746},           {0.01, 2, 1.25, 1.77106379928e-5},
                      {0.01, 2, 64, 3.32174640868},           {0.01, 0.25, 4, 25.8597730853},
                      {0.01, 2.5, 1.5, 0.0006500708972 / 50}, {0.01, 2.5, 100, 167.4163075 / 50}};
  for (const Row& row : rows) {
    const double value = poisson_rdp_add_remove(row.rate, row.noise, row.order);
    EXPECT_NEAR(value / row.expected, 1, 1e-8) << row.noise << " " << row.order;
  }
}

TEST(AccountantRdp, FractionalOrdersLieBetweenWholeOnes) {
  for (const double rate : {0.001, 0.1, 0.9}) {
    for (const double noise : {0.4, 1.0, 5.0}) {
      for (const double order : {2.5, 7.25, 30.5}) {
        const double low = poisson_rdp_add_remove(rate, noise, std::floor(order));
        const double high = poisson_rdp_add_remove(rate, noise, std::ceil(order));
        const double value = poisson_rdp_add_remove(rate, noise, order);
        EXPECT_GE(value, low * (1 - 1e-9));
        EXPECT_LE(value, high * (1 + 1e-9));
      }
    }
  }
}

TEST(AccountantRdp, WithoutSamplingEveryFormIsTheGaussianOne) {
  for (const double order : {1.5, 4.0, 33.0}) {
    EXPECT_NEAR(poisson_rdp_add_remove(1, 2, order), order / 8, 1e-9);
    EXPECT_NEAR(poisson_rdp_replace_one(1, 2, order), order / 2, 1e-9);
    EXPECT_NEAR(fixed_size_rdp(1, 2, order), order / 2, 1e-9);
    if (order < 5) {
      EXPECT_NEAR(poisson_rdp_replace_one(1 - 1e-9, 2, order), order / 2, 1e-6);
    }
  }
}

TEST(AccountantRdp, ReplacingCostsMoreThanRemovingAndLessThanNoSampling) {
  for (const double order : {1.5, 4.0, 16.5}) {
    const double remove = poisson_rdp_add_remove(0.02, 1.5, order);
    EXPECT_GT(poisson_rdp_replace_one(0.02, 1.5, order), remove);
    EXPECT_LT(poisson_rdp_replace_one(0.02, 1.5, order), 2 * order / 2.25);
    EXPECT_GT(fixed_size_rdp(0.02, 1.5, order), remove);
  }
}

/// The trapezoid rule in extended precision, which converges fast for what decays at both ends.
template <class F>
long double trapezoid(long double low, long double high, long double step, const F& f) {
  long double sum = 0;
  for (long double x = low; x <= high; x += step) sum += f(x);
  return sum * step;
}

TEST(AccountantRdp, HighOrdersOfReplacedRowsMatchTheTrapezoidRule) {
  struct Case {
    long double rate, noise, order;
  };
  for (const auto& [q, s, a] : {Case{0.0154L, 80, 384}, Case{0.0154L, 80, 2000.5L}, Case{0.1L, 400, 3000}}) {
    const auto mixed = [q = q, s = s](long double x, long double t) {
      return 1 - q + q * std::exp((2 * x * t - 1) / (2 * s * s));
    };
    const auto weighted = [&, s = s, a = a](long double x) {
      const long double density = std::exp(-x * x / (2 * s * s)) / (s * std::sqrt(2 * std::numbers::pi_v<long double>));
      return density * std::pow(mixed(x, 1), a) * std::pow(mixed(x, -1), 1 - a);
    };
    const long double moment = trapezoid(-2 * a - 14 * s, 2 * a + 14 * s, s / 16, weighted);
    const double expected = static_cast<double>(std::log(moment) / (a - 1));
    const double value =
        poisson_rdp_replace_one(static_cast<double>(q), static_cast<double>(s), static_cast<double>(a));
    EXPECT_NEAR(value / expected, 1, 1e-8);
    EXPECT_GE(value, expected * (1 - 1e-11));
    EXPECT_LT(value, 0.1 * static_cast<double>(2 * a / (s * s))) << "what no sampling would cost";
  }
}

TEST(AccountantRdp, HighOrdersOfFixedBatchesMatchTheTrapezoidRule) {
  const long double q = 0.0154L, s = 80, a = 1000, shift = 2 / s;
  const auto excess = [&](long double r) { return std::pow(r, a) - 1 - a * (r - 1); };
  const auto both = [&](long double x) {
    const long double r = 1 - q + q * std::exp(shift * x - shift * shift / 2);
    const long double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi_v<long double>);
    return density * (excess(r) + r * excess(1 / r));
  };
  // Losses begin at shift/2, where the integrand and its slope are 0: what the rule misses there is of the order of
  // the square of its step.
  const long double moment = 1 + trapezoid(shift / 2, a * shift + 14, 1e-4L, both);
  const double expected = static_cast<double>(std::log(moment) / (a - 1));
  const double value = fixed_size_rdp(static_cast<double>(q), static_cast<double>(s), static_cast<double>(a));
  EXPECT_NEAR(value / expected, 1, 1e-7);
  EXPECT_LT(value, 0.1 * static_cast<double>(2 * a / (s * s)));
}

TEST(AccountantRdp, SmallEpsilonsOfReplacedRowsCostLittleMoreThanByLossDistributions) {
  const Event steps = repeat(PoissonSampledEvent{0.0154, 76.9311}, 652);
  const double rdp = rdp_epsilon(steps, kReplace, 9.43202e-10).value;
  const double pld = pld_epsilon(steps, kReplace, 9.43202e-10).upper;
  EXPECT_GT(rdp, pld);
  EXPECT_LT(rdp, 1.1 * pld);
}

TEST(AccountantRdp, ConversionsMatchPublishedEpsilons) {
  const double nineteen[] = {19}, thirteen[] = {13}, four[] = {3.9}, eight[] = {8}, thirty_two[] = {32};
  const Event a = repeat(PoissonSampledEvent{0.0025, 1.3}, 6000), b = repeat(PoissonSampledEvent{0.001, 1}, 30000);
  EXPECT_NEAR(rdp_epsilon(a, kAddRemove, 1e-5, nineteen).value, 0.7242234026109595, 5e-8);
  EXPECT_NEAR(rdp_epsilon(b, kAddRemove, 1e-7, thirteen).value, 1.4154988495444842, 5e-8);
  EXPECT_NEAR(rdp_epsilon(repeat(PoissonSampledEvent{0.04, 1.5}, 2250), kAddRemove, 1e-5, four).value, 7.32911117148,
              5e-8);
  EXPECT_NEAR(rdp_epsilon(repeat(PoissonSampledEvent{0.01, 1}, 1000), kAddRemove, 1e-5, eight).value, 2.107753, 1e-5);
  EXPECT_NEAR(rdp_to_epsilon(32, 1.1, 1e-5), 1.32783806176, 1e-10);
  EXPECT_LE(rdp_epsilon(a, kAddRemove, 1e-5).value, 0.7242234027) << "all orders are at least as good as one";
  EXPECT_NEAR(rdp_to_delta(*thirty_two, 1.1, 1.32783806176), 1e-5, 1e-13);
}

TEST(AccountantRdp, PureNoiseIsBoundedByItsEpsilonAndByItsSquare) {
  for (const double epsilon : {1e-4, 0.1, 1.0, 10.0}) {
    for (const double order : {1.01, 2.0, 50.0, 1e5}) {
      const double value = rdp_of(PureEvent{epsilon}, kReplace, order);
      EXPECT_LE(value, epsilon * (1 + 1e-9));
      EXPECT_LE(value, order * epsilon * epsilon / 2 * (1 + 1e-9));
      EXPECT_GE(value, rdp_of(ScalarLaplaceEvent{epsilon}, kReplace, order) * (1 - 1e-9));
    }
  }
  EXPECT_NEAR(rdp_of(PureEvent{3}, kReplace, 1e5), 3, 1e-3);
}

TEST(AccountantSelection, PureLimitsOfTheTruncatedNegativeBinomial) {
  const Event run = ScalarLaplaceEvent{1};
  EXPECT_EQ(pure_epsilon(select_best(run, NegativeBinomialRuns{1000, 0})), 2);
  EXPECT_EQ(pure_epsilon(select_best(run, NegativeBinomialRuns{1000, 0.5})), 2.5);
  EXPECT_EQ(pure_epsilon(select_best(run, NegativeBinomialRuns{100, 2})), 4);
}

TEST(AccountantSelection, GammaGivesTheMean) {
  for (const double shape : {-0.5, 0.0, 1.0, 3.0}) {
    const double gamma = negative_binomial_gamma({50, shape});
    const double mean =
        shape == 0 ? (1 / gamma - 1) / -std::log(gamma) : shape * (1 - gamma) / (gamma * (1 - std::pow(gamma, shape)));
    EXPECT_NEAR(mean, 50, 1e-6) << shape;
  }
  EXPECT_NEAR(negative_binomial_gamma({50, 1}), 1.0 / 50, 1e-12) << "geometric";
}

TEST(AccountantSelection, PoissonRunsCostTheFormulaOfTheTheorem) {
  const double mu = 0.2, order = 8, mean = 10;
  const double expected =
      order * mu * mu / 2 + mean * gaussian_delta(mu, std::log1p(1 / (order - 1))) + std::log(mean) / 7;
  const auto event = std::get<SelectionEvent>(select_best(GaussianEvent{mu}, PoissonRuns{mean}));
  EXPECT_NEAR(selection_rdp(event, kReplace, order), expected, 1e-9);
  // Notes A7: one more run's worth of noise, not as many as candidates.
  const double once = gdp_epsilon(mu, 1e-9);
  const double tuned = rdp_epsilon(Event(event), kReplace, 1e-9).value;
  EXPECT_GT(tuned, once);
  EXPECT_LT(tuned, 2.5 * once);
}

TEST(AccountantSelection, NegativeBinomialRunsCostTheFormulaOfTheTheorem) {
  const double mu = 0.3, order = 12, mean = 20, shape = 0.5;
  const double log_inverse = -std::log(negative_binomial_gamma({mean, shape}));
  // (b - 1) mu^2/2 + ln(1/gamma)/b is least at b = sqrt(2 ln(1/gamma))/mu.
  const double b = std::sqrt(2 * log_inverse) / mu;
  const double best = (b - 1) * mu * mu / 2 + log_inverse / b;
  const double expected = order * mu * mu / 2 + (1 + shape) * best + std::log(mean) / (order - 1);
  const auto event = std::get<SelectionEvent>(select_best(GaussianEvent{mu}, NegativeBinomialRuns{mean, shape}));
  EXPECT_GE(selection_rdp(event, kReplace, order), expected * (1 - 1e-9));
  EXPECT_LE(selection_rdp(event, kReplace, order), expected * 1.02);
}

TEST(AccountantWorlds, SequencesMultiplyAndPartsAreAlternatives) {
  const Event tree = sequence({PureEvent{1}, parallel({PureEvent{2}, PureEvent{3}, PureEvent{3}}, PartBy::position)});
  EXPECT_EQ(worlds(tree, kReplace).size(), 2u) << "equal parts are one world";
  EXPECT_EQ(pure_epsilon(tree), 4);
  EXPECT_EQ(worlds(repeat(PureEvent{1}, 5), kReplace).front().front().count, 5u);
  EXPECT_EQ(worlds(PoissonSampledEvent{0.1, 1}, kAddRemove).size(), 2u) << "both sides";
  EXPECT_EQ(pure_epsilon(sequence({})), 0);
}

TEST(AccountantWorlds, PartsDecidedByValueCostTheTwoDearest) {
  const Event parts = parallel({PureEvent{1}, PureEvent{2}, PureEvent{4}}, PartBy::value);
  EXPECT_EQ(pure_epsilon(parts, kAddRemove), 4);
  EXPECT_EQ(pure_epsilon(parts, kReplace), 8) << "a row replaced inside the dearest part pays it twice";
  const Event gaussians = parallel({GaussianEvent{0.3}, GaussianEvent{0.4}}, PartBy::value);
  EXPECT_NEAR(gdp_mu_of(gaussians, kAddRemove), 0.4, 1e-12);
  EXPECT_NEAR(gdp_mu_of(gaussians, kReplace), 0.8, 1e-12) << "not sqrt(0.3^2 + 0.4^2): both rows may be in one part";
}

TEST(AccountantWorlds, PartsByKeyCostTheDearestUnderBothRelations) {
  const Event parts = parallel({PureEvent{1}, PureEvent{2}, PureEvent{4}}, PartBy::key);
  for (const Relation relation : {kReplace, kAddRemove}) EXPECT_EQ(pure_epsilon(parts, relation), 4);
  EXPECT_EQ(event_text(parallel({PureEvent{1}}, PartBy::key)), "parallel_by_key(pure(epsilon=1))");
  EXPECT_EQ(event_text(parallel({PureEvent{1}}, PartBy::position)), "parallel_by_position(pure(epsilon=1))")
      << "as ledgers have it";
  EXPECT_EQ(summary(parts).name, "parallel");
}

TEST(AccountantWorlds, WhatACoinChoosesAmongCostsTheDearestUnderBothRelations) {
  const Event pure = one_of({PureEvent{1}, PureEvent{3}, PureEvent{2}});
  const Event normal = one_of({GaussianEvent{0.3}, GaussianEvent{0.4}});
  const Event mixed = one_of({ApproximateEvent{1, 1e-6}, ApproximateEvent{2, 1e-9}});
  const Event sampled = one_of({PoissonSampledEvent{0.1, 2}, PoissonSampledEvent{0.2, 2}});
  for (const Relation relation : {kReplace, kAddRemove}) {
    EXPECT_EQ(pure_epsilon(pure, relation), 3) << "a row meets one of them, whatever its value";
    EXPECT_EQ(pure_sum(mixed, relation).delta, exact_of(1e-6));
    EXPECT_EQ(gdp_mu_of(normal, relation), gdp_mu_of(GaussianEvent{0.4}, relation));
    EXPECT_EQ(zcdp_rho_of(normal, relation), zcdp_rho_of(GaussianEvent{0.4}, relation));
    const Event dearest = PoissonSampledEvent{0.2, 2};
    EXPECT_EQ(rdp_of(sampled, relation, 8), rdp_of(dearest, relation, 8));
    EXPECT_NEAR(pld_delta(sampled, relation, 0.5).upper / pld_delta(dearest, relation, 0.5).upper, 1, 1e-3);
    const auto best = [&](const Event& run) { return rdp_of(select_best(run, PoissonRuns{4}), relation, 8); };
    EXPECT_EQ(best(sampled), best(dearest));
  }
  EXPECT_EQ(pure_epsilon(sequence({pure, pure})), 6);
  EXPECT_EQ(one_of({PureEvent{1}, PureEvent{1}}), Event(PureEvent{1}));
  EXPECT_NE(pure, parallel({PureEvent{1}, PureEvent{3}, PureEvent{2}}, PartBy::key));
  EXPECT_EQ(event_text(pure), "one_of(pure(epsilon=1), pure(epsilon=3), pure(epsilon=2))");
  EXPECT_EQ(summary(pure).name, "one_of");
  EXPECT_THROW(check(one_of({})), Error);
}

TEST(AccountantWorlds, RepeatsWhoseProductIsTooLargeAreRefused) {
  constexpr std::uint64_t kMany = std::uint64_t{1} << 32, kMax = std::uint64_t{1} << 40;
  for (const Relation relation : {kReplace, kAddRemove}) {
    for (const std::uint64_t times : {kMany, std::uint64_t{512}}) {
      const Event gaussian = repeat(repeat(GaussianEvent{1}, kMany), times);
      EXPECT_THROW(worlds(gaussian, relation), Error);
      EXPECT_THROW(gdp_mu_of(gaussian, relation), Error);
      EXPECT_THROW(zcdp_rho_of(gaussian, relation), Error);
      EXPECT_THROW(pld_epsilon(gaussian, relation, 1e-6), Error);
      EXPECT_THROW(pure_sum(sequence({repeat(sequence({repeat(PureEvent{1}, kMany)}), times)}), relation), Error);
    }
    EXPECT_NO_THROW(worlds(repeat(repeat(GaussianEvent{1}, 256), kMany), relation));
    EXPECT_NO_THROW(worlds(repeat(repeat(GaussianEvent{1}, kMany), 0), relation));
    // Repeats that follow one another add up; so many that they pass 2^64 would be 2^24 events.
    EXPECT_EQ(
        worlds(sequence({repeat(PureEvent{1}, kMax), repeat(PureEvent{1}, kMax)}), relation).front().front().count,
        2 * kMax);
  }
}

TEST(AccountantWorlds, ADeltaThatDoubledPromisesNothingIsRefused) {
  const auto doubled = [](double epsilon, double delta) {
    return worlds(parallel({ApproximateEvent{epsilon, delta}}, PartBy::value), kReplace).front().front().leaf;
  };
  EXPECT_THROW(doubled(1, 0.5), Error);
  EXPECT_THROW(doubled(1000, 1e-9), Error);
  EXPECT_EQ(std::get<ApproximateEvent>(doubled(1000, 0)), (ApproximateEvent{2000, 0}));
  EXPECT_NEAR(std::get<ApproximateEvent>(doubled(1, 0.1)).delta, 0.1 * (1 + std::numbers::e), 1e-15);
}

TEST(AccountantWorlds, TooManyAlternativesAreRefused) {
  std::vector<Event> many;
  for (int i = 1; i <= 20; ++i) many.push_back(PureEvent{0.01 * i});
  const Event parts = parallel(many, PartBy::key);
  EXPECT_THROW(worlds(sequence({parts, parts, parallel({PureEvent{1}, PureEvent{5}}, PartBy::key)}), kReplace), Error);
}

TEST(AccountantEvents, NumbersOutOfRangeAreRefusedByName) {
  const Event wrong[] = {PureEvent{0},
                         PureEvent{-1},
                         GaussianEvent{std::nan("")},
                         ApproximateEvent{1, 1},
                         PoissonSampledEvent{0, 1},
                         PoissonSampledEvent{1.5, 1},
                         PoissonSampledEvent{0.1, 0},
                         PoissonSampledEvent{0.1, 1, NoiseLaw::gaussian, 2},
                         select_best(PureEvent{1}, NegativeBinomialRuns{1, 0}),
                         repeat(PureEvent{1}, std::uint64_t{1} << 50),
                         sequence({PureEvent{1}, ScalarDiscreteLaplaceEvent{1, 0}})};
  for (const Event& event : wrong) EXPECT_THROW(check(event), Error) << event_text(event);
}

TEST(AccountantEvents, TreesCompareAndSpellThemselves) {
  const Event tree = sequence({repeat(GaussianEvent{0.5}, 3), parallel({PureEvent{1}}, PartBy::value)});
  EXPECT_EQ(event_text(tree), "sequence(3 x gaussian(mu=0.5), parallel_by_value(pure(epsilon=1)))");
  const Event copy = tree;
  EXPECT_EQ(copy, tree);
  EXPECT_NE(tree, sequence({repeat(GaussianEvent{0.5}, 4), parallel({PureEvent{1}}, PartBy::value)}));
}

}  // namespace
}  // namespace sotto
