#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "sotto/base/error.h"
#include "sotto/privacy/accountant/gdp.h"
#include "sotto/privacy/accountant/loss_basic.h"
#include "sotto/privacy/accountant/loss_compose.h"
#include "sotto/privacy/accountant/loss_grid.h"
#include "sotto/privacy/accountant/loss_sum.h"
#include "sotto/privacy/accountant/pld.h"
#include "sotto/privacy/accountant/rdp.h"
#include "sotto/privacy/gaussian.h"

namespace sotto {
namespace {

constexpr Relation kReplace = Relation::replace_one;
constexpr Relation kAddRemove = Relation::add_remove;

double profile_of(const LossLaw& law, double epsilon) {
  const LossTails t = law.tails(epsilon);
  return law.p_infinite + t.p_above - std::exp(epsilon) * t.q_above;
}

double profile_of(const LossGrid& grid, const std::vector<double>& mass, double infinite, double epsilon) {
  double sum = infinite;
  for (std::size_t i = 0; i < mass.size(); ++i) {
    const double loss = grid.offset + static_cast<double>(grid.first + static_cast<std::int64_t>(i)) * grid.step;
    if (loss > epsilon) sum -= mass[i] * std::expm1(epsilon - loss);
  }
  return sum;
}

struct NamedLaw {
  const char* name;
  LossLaw law;
};
std::vector<NamedLaw> all_laws() {
  return {
      {"pure", loss_law(PureEvent{0.7}, Side::replace)},
      {"approximate", loss_law(ApproximateEvent{0.7, 0.01}, Side::replace)},
      {"laplace", loss_law(ScalarLaplaceEvent{1.3}, Side::replace)},
      {"discrete laplace", loss_law(ScalarDiscreteLaplaceEvent{0.4, 3}, Side::replace)},
      {"gaussian", loss_law(GaussianEvent{0.8}, Side::replace)},
      {"exponential", loss_law(ExponentialEvent{1.1}, Side::replace)},
      {"poisson remove", loss_law(PoissonSampledEvent{0.05, 0.8}, Side::remove)},
      {"poisson add", loss_law(PoissonSampledEvent{0.05, 0.8}, Side::add)},
      {"poisson replace", loss_law(PoissonSampledEvent{0.05, 0.8}, Side::replace)},
      {"poisson laplace", loss_law(PoissonSampledEvent{0.3, 0.7, NoiseLaw::laplace}, Side::add)},
      {"poisson discrete laplace", loss_law(PoissonSampledEvent{0.3, 2, NoiseLaw::discrete_laplace, 4}, Side::remove)},
      {"fixed", loss_law(FixedSizeSampledEvent{0.05, 0.8}, Side::replace)}};
}

TEST(AccountantPld, ProfilesAreProfiles) {
  for (const NamedLaw& named : all_laws()) {
    EXPECT_NEAR(profile_of(named.law, -60), 1, 1e-9) << named.name;
    double before = 1.1;
    for (double epsilon = -3; epsilon < 4; epsilon += 0.05) {
      const double delta = profile_of(named.law, epsilon);
      EXPECT_GE(delta, std::max(0.0, 1 - std::exp(epsilon)) - 1e-12) << named.name << " " << epsilon;
      EXPECT_LE(delta, before + 1e-12) << named.name << " " << epsilon;
      const LossTails t = named.law.tails(epsilon);
      EXPECT_NEAR(t.p_above + t.p_below, 1 - named.law.p_infinite, 1e-12) << named.name;
      before = delta;
    }
  }
}

TEST(AccountantPld, TheGridBracketsTheProfile) {
  for (const NamedLaw& named : all_laws()) {
    for (const double step : {0.3, 0.05, 0.007}) {
      const LossGrid grid = discretise(named.law, {step}, range_of(named.law, {1e-14, 1e-14}));
      for (double epsilon = -1.5; epsilon < 3; epsilon += 0.0131) {
        const double truth = profile_of(named.law, epsilon);
        const double upper = profile_of(grid, grid.upper, grid.infinite_upper, epsilon);
        const double lower = profile_of(grid, grid.lower, grid.infinite_lower, epsilon);
        ASSERT_GE(upper, truth - 1e-13) << named.name << " " << step << " " << epsilon;
        ASSERT_LE(lower, truth + 1e-13) << named.name << " " << step << " " << epsilon;
      }
      for (const double mass : grid.upper) ASSERT_GE(mass, 0);
      for (const double mass : grid.lower) ASSERT_GE(mass, 0);
    }
  }
}

TEST(AccountantPld, TheGridBracketsTheProfilesOfRareRowsWhateverItsStepAndOffset) {
  for (const double rate : {1e-6, 1e-3}) {
    for (const double noise : {0.4, 1.0, 2.0}) {
      const LossLaw laws[] = {loss_law(PoissonSampledEvent{rate, noise}, Side::remove),
                              loss_law(PoissonSampledEvent{rate, noise}, Side::add),
                              loss_law(PoissonSampledEvent{rate, noise}, Side::replace),
                              loss_law(FixedSizeSampledEvent{rate, noise}, Side::replace)};
      for (const LossLaw& law : laws) {
        for (const double step : {0.3 * rate, 3 * rate, 50 * rate}) {
          const LossRange range = range_of(law, {1e-12, 1e-12});
          if ((range.high - range.low) / step > 2e4) continue;
          for (const double offset : {0.0, mean_of_bulk(law, range, step), 0.37 * step}) {
            const LossGrid grid = discretise(law, {step, offset}, range);
            for (double epsilon = -9.3 * step; epsilon < 12 * step; epsilon += 0.31 * step) {
              const double truth = profile_of(law, epsilon);
              EXPECT_GE(profile_of(grid, grid.upper, grid.infinite_upper, epsilon), truth - 1e-14)
                  << rate << " " << step;
              EXPECT_LE(profile_of(grid, grid.lower, grid.infinite_lower, epsilon), truth + 1e-14)
                  << rate << " " << step;
            }
            for (const double mass : grid.lower) ASSERT_GE(mass, 0);
          }
        }
      }
    }
  }
}

TEST(AccountantPld, APointLiesOnTheBulkOfRareRowsHoweverSmallTheStep) {
  const double rate = 1e-3;
  const LossLaw law = loss_law(PoissonSampledEvent{rate, 0.2}, Side::remove);
  const LossRange range = range_of(law, {1e-12, 1e-12});
  for (const double step : {rate / 1000, rate / 100, rate / 10}) {
    EXPECT_NEAR(mean_of_bulk(law, range, step), std::log1p(-rate), rate / 100) << step;
  }
  // Half the mass at 0, or at the low end, and the median nowhere near it.
  for (const double often : {0.5, 0.55, 0.7}) {
    const LossLaw replace = loss_law(PoissonSampledEvent{often, 0.1}, Side::replace);
    EXPECT_NEAR(mean_of_bulk(replace, range_of(replace, {1e-12, 1e-12}), 0.05), 0, 0.05) << often;
    const LossLaw remove = loss_law(PoissonSampledEvent{often, 0.1}, Side::remove);
    EXPECT_NEAR(mean_of_bulk(remove, range_of(remove, {1e-12, 1e-12}), 0.01), std::log1p(-often), 0.01) << often;
  }
  const double step = rate / 10;
  const LossGrid grid = discretise(law, {step, mean_of_bulk(law, range, step)}, range);
  EXPECT_GT(grid.upper[static_cast<std::size_t>(-grid.first)], 0.9);
}

TEST(AccountantPld, TheNormOfTheWeightsIsBoundedFromAboveAndClosely) {
  for (const double tilt : {0.0, 0.01, 1.0, 14.0, 2000.0}) {
    for (const double step : {1e-4, 1e-2, 1.0}) {
      const std::size_t points = 1 << 16;
      const double bound = weight_norm(tilt, step, points);
      double largest = 0;
      for (const double shift : {1e-9, 0.2, 0.5, 1.0}) {
        double squares = 0;
        for (std::size_t i = 0; i < points; ++i) {
          const double y = (static_cast<double>(i) + shift) * step;
          squares += std::pow(std::exp(-tilt * y) * -std::expm1(-y), 2);
        }
        largest = std::max(largest, std::sqrt(squares));
      }
      EXPECT_GE(bound, largest) << tilt << " " << step;
      if (tilt >= 1 && tilt * step < 0.1) {
        EXPECT_LE(bound, 1.5 * largest) << tilt << " " << step;
      }
    }
  }
}

TEST(AccountantPld, TheSumOfTheWeightsIsBoundedFromAboveAndClosely) {
  for (const double tilt : {0.0, 0.01, 1.0, 14.0, 2000.0}) {
    for (const double step : {1e-4, 1e-2, 1.0}) {
      const std::size_t points = 1 << 16;
      const double bound = weight_sum(tilt, step, points);
      double largest = 0;
      for (const double shift : {1e-9, 0.2, 0.5, 1.0}) {
        double sum = 0;
        for (std::size_t i = 0; i < points; ++i) {
          const double y = (static_cast<double>(i) + shift) * step;
          sum += std::exp(-tilt * y) * -std::expm1(-y);
        }
        largest = std::max(largest, sum);
      }
      EXPECT_GE(bound, largest) << tilt << " " << step;
      if (tilt >= 1 && tilt * step < 0.1) {
        EXPECT_LE(bound, 1.2 * largest) << tilt << " " << step;
      }
    }
  }
}

/// delta of two steps, side remove, by Simpson's rule over the first output.
double two_steps_delta(double rate, double noise, double epsilon) {
  const LossLaw law = loss_law(PoissonSampledEvent{rate, noise}, Side::remove);
  const auto density = [&](double x, double at) { return std::exp(-(x - at) * (x - at) / (2 * noise * noise)); };
  const double least = std::log1p(-rate);
  const int n = 40000;
  const double from = -12 * noise, to = 1 + 14 * noise, h = (to - from) / n;
  double sum = 0;
  for (int i = 0; i <= n; ++i) {
    const double x = from + i * h;
    const double p = (1 - rate) * density(x, 0) + rate * density(x, 1);
    const double rest = epsilon - std::log1p(rate * std::expm1((x - 0.5) / (noise * noise)));
    sum += (i == 0 || i == n ? 1 : i % 2 ? 4 : 2) * p * (rest > least ? profile_of(law, rest) : -std::expm1(rest));
  }
  return sum * h / 3 / (noise * 2.5066282746310002);
}

TEST(AccountantPld, TwoStepsWithRareRowsAgreeWithAnIntegral) {
  for (const double rate : {1e-2, 1e-4, 1e-6}) {
    for (const double noise : {0.5, 1.0}) {
      for (const double scale : {0.5, 3.0, 20.0}) {
        const double epsilon = scale * rate, truth = two_steps_delta(rate, noise, epsilon);
        if (truth < 1e-13) continue;
        const Bound bound = pld_delta(repeat(PoissonSampledEvent{rate, noise}, 2), kAddRemove, epsilon);
        EXPECT_GE(bound.upper, truth * (1 - 1e-6)) << rate << " " << noise << " " << scale;
        EXPECT_LE(bound.lower, truth * (1 + 1e-6)) << rate << " " << noise << " " << scale;
        EXPECT_LE(bound.upper, truth * 1.01) << rate << " " << noise << " " << scale;
      }
    }
  }
}

TEST(AccountantBasic, BoundsMeetForOneReleaseAndHoldForMany) {
  for (const NamedLaw& named : all_laws()) {
    const LossTerm once[] = {{named.law, 1}}, often[] = {{named.law, 7}};
    const double given = 0.4, truth = profile_of(named.law, given);
    if (truth < 1e-9) continue;
    EXPECT_NEAR(basic_delta(once, given).upper / truth, 1, 1e-9) << named.name;
    EXPECT_NEAR(basic_delta(once, given).lower / truth, 1, 1e-9) << named.name;
    EXPECT_GE(basic_delta(often, 7 * given).upper, std::min(1.0, 7 * truth * (1 - 1e-9))) << named.name;
    const Bound there = basic_epsilon(once, truth * 1.0001);
    EXPECT_LE(there.lower, given) << named.name;
    EXPECT_LE(there.upper, given) << named.name;
  }
  // T delta_1(0) <= delta, and nothing is infinite where each release has a finite epsilon.
  const auto epsilon = [](double rate, std::uint64_t steps, double delta) {
    return pld_epsilon(repeat(PoissonSampledEvent{rate, 1}, steps), kAddRemove, delta).upper;
  };
  EXPECT_EQ(epsilon(1e-12, 1000000, 1e-5), 0);
  EXPECT_EQ(epsilon(1e-9, 1000, 1e-6), 0);
  const LossTerm rare[] = {{loss_law(PoissonSampledEvent{1e-12, 1}, Side::remove), 1000000}};
  EXPECT_TRUE(std::isfinite(basic_epsilon(rare, 1e-20).upper));
}

TEST(AccountantPld, OneReleaseAgreesWithPublishedProfiles) {
  const auto at = [](const Leaf& leaf, Side side, double epsilon) { return profile_of(loss_law(leaf, side), epsilon); };
  EXPECT_NEAR(at(PoissonSampledEvent{0.8, 1}, Side::add, 1), 0.02313621041, 1e-9);
  EXPECT_NEAR(at(PoissonSampledEvent{0.8, 1}, Side::remove, 1), 0.08169517866, 1e-9);
  EXPECT_NEAR(at(PoissonSampledEvent{0.4, 2.0 / 6}, Side::remove, 1), 0.2888308005, 1e-9);
  EXPECT_NEAR(at(PoissonSampledEvent{0.8, 2}, Side::replace, 1), 0.05808665654, 1e-9);
  EXPECT_NEAR(at(PoissonSampledEvent{0.3, 2}, Side::replace, 2), 2.477038015e-9, 1e-16);
  EXPECT_NEAR(at(PoissonSampledEvent{1, 1}, Side::replace, 2), 0.3318979988, 1e-9);
  EXPECT_NEAR(at(PoissonSampledEvent{0.8, 0.5, NoiseLaw::laplace}, Side::add, 0.5), 0.3243606497, 1e-9);
  EXPECT_NEAR(at(PoissonSampledEvent{0.8, 0.5, NoiseLaw::laplace}, Side::remove, 0.5), 0.4039564635, 1e-9);
  EXPECT_NEAR(at(ScalarLaplaceEvent{2}, Side::replace, 0.5), 0.5276334473, 1e-9);
  EXPECT_NEAR(at(ScalarDiscreteLaplaceEvent{0.5, 4}, Side::replace, 0.5), 0.5420200182, 1e-9);
  EXPECT_NEAR(at(ScalarDiscreteLaplaceEvent{0.5, 4}, Side::replace, 1), 0.3934693403, 1e-9);
  EXPECT_NEAR(at(PoissonSampledEvent{0.7, 2, NoiseLaw::discrete_laplace, 4}, Side::remove, 0.5), 0.3523838505, 1e-9);
}

TEST(AccountantPld, FixedSizeIsTheProfileOfTheSpecification) {
  const double rate = 0.03, noise = 1.2;
  const LossLaw law = loss_law(FixedSizeSampledEvent{rate, noise}, Side::replace);
  for (const double epsilon : {0.01, 0.3, 1.0, 2.5}) {
    const double expected = rate * gaussian_delta(2 / noise, std::log1p(std::expm1(epsilon) / rate));
    EXPECT_NEAR(profile_of(law, epsilon) / expected, 1, 1e-9);
    // Symmetry: delta(-e) = 1 - e^-e + e^-e delta(e).
    EXPECT_NEAR(profile_of(law, -epsilon), -std::expm1(-epsilon) + std::exp(-epsilon) * expected, 1e-12);
  }
}

TEST(AccountantPld, BoundedRangeDominatesItsMechanismsAndIsBelowRandomisedResponse) {
  const double epsilon = 1.4, top = std::exp(epsilon);
  const LossLaw law = loss_law(ExponentialEvent{epsilon}, Side::replace);
  for (double e = 0; e < epsilon; e += 0.07) {
    double worst = 0;  // over mechanisms whose losses are t and t - epsilon
    for (double t = 0; t <= epsilon; t += 0.001) {
      const double p = (top - std::exp(t)) / (top - 1);
      worst = std::max(worst, p * std::max(0.0, -std::expm1(e - t)));
    }
    EXPECT_NEAR(profile_of(law, e), worst, 1e-5);
    EXPECT_GE(profile_of(law, e), worst - 1e-12);
    EXPECT_LE(profile_of(law, e), profile_of(loss_law(PureEvent{epsilon}, Side::replace), e));
  }
}

void expect_bracket(const Bound& bound, double truth, double gap, const std::string& what) {
  EXPECT_LE(bound.lower, truth * (1 + 1e-9)) << what;
  EXPECT_GE(bound.upper, truth * (1 - 1e-9)) << what;
  EXPECT_LE(bound.upper - bound.lower, gap * bound.upper + 1e-300) << what;
}

TEST(AccountantPld, ClosedFormsLieBetweenTheBounds) {
  // Compositions of Gaussians that are not merged: Poisson sampling at rate 1 is the Gaussian mechanism.
  for (const double total : {1e-4, 0.01, 0.3, 1.0, 4.0}) {
    for (const std::uint64_t count : {1ull, 30ull, 1000ull, 1000000ull}) {
      const double noise = std::sqrt(static_cast<double>(count)) / total;
      if (noise > 1e8) continue;
      const Event event = repeat(PoissonSampledEvent{1, noise}, count);
      for (const double delta : {0.4, 0.01, 1e-6, 1e-20, 1e-100}) {
        const double truth = gdp_epsilon(total, delta);
        if (truth < 1e-5 || truth > 60) continue;
        const std::string what = std::to_string(total) + " " + std::to_string(count) + " " + std::to_string(delta);
        // A million losses of 1e-7 are too small for binary64 to place them closely; the bounds stay valid.
        expect_bracket(pld_epsilon(event, kAddRemove, delta), truth, noise < 1e6 ? 1e-3 : 1, what);
      }
    }
  }
}

TEST(AccountantPld, TinyDeltasStayValid) {
  for (const double delta : {1e-150, 1e-240, 1e-260, 1e-300}) {
    const double truth = gdp_epsilon(1, delta);
    const Bound bound = pld_epsilon(PoissonSampledEvent{1, 1}, kAddRemove, delta);
    EXPECT_LE(bound.lower, truth);
    EXPECT_GE(bound.upper, truth);
    EXPECT_LT(bound.upper, 1.02 * truth);
    EXPECT_GT(bound.lower, 0.9 * truth);
  }
}

TEST(AccountantPld, DeltasOfGaussiansLieBetweenTheBounds) {
  for (const double mu : {0.05, 0.5, 2.0, 6.0}) {
    for (const double epsilon : {0.0, 0.1, 1.0, 8.0, 30.0}) {
      const double truth = gaussian_delta(mu, epsilon);
      if (truth < 1e-200) continue;
      expect_bracket(pld_delta(repeat(PoissonSampledEvent{1, 10 / mu}, 100), kAddRemove, epsilon), truth, 1e-3,
                     std::to_string(mu) + " " + std::to_string(epsilon));
    }
  }
}

/// delta of k randomised responses by summing over the number of likely answers.
double responses_delta(double epsilon, int k, double at) {
  double sum = 0;
  for (int i = 0; i <= k; ++i) {
    const double log_mass = std::lgamma(k + 1.0) - std::lgamma(i + 1.0) - std::lgamma(k - i + 1.0) + i * epsilon -
                            k * std::log1p(std::exp(epsilon));
    const double loss = (2 * i - k) * epsilon;
    if (loss > at) sum -= std::exp(log_mass) * std::expm1(at - loss);
  }
  return sum;
}

TEST(AccountantPld, RandomisedResponsesAreExact) {
  for (const double epsilon : {1e-3, 0.1, 1.0}) {
    for (const int k : {1, 7, 100, 2000}) {
      for (const double at : {0.0, 0.33 * epsilon, std::sqrt(k) * epsilon, 2.5 * std::sqrt(k) * epsilon}) {
        const double truth = responses_delta(epsilon, k, at);
        if (truth < 1e-30) continue;
        const Bound bound = pld_delta(repeat(PureEvent{epsilon}, static_cast<std::uint64_t>(k)), kReplace, at);
        EXPECT_NEAR(bound.upper / truth, 1, 1e-6) << epsilon << " " << k << " " << at;
        EXPECT_GE(bound.upper, truth * (1 - 1e-10));
        EXPECT_LE(bound.lower, truth * (1 + 1e-10));
      }
    }
  }
  EXPECT_NEAR(pld_delta(repeat(ApproximateEvent{0, 1e-7}, 10000), kReplace, 0).upper, 0.0009995002165750367, 1e-12);
  EXPECT_NEAR(pld_delta(sequence({ApproximateEvent{1, 0.1}, ApproximateEvent{2, 0.2}}), kReplace, 3).upper, 0.28, 1e-9);
}

/// All sums of three atoms each, by brute force on a fine grid of one law.
TEST(AccountantPld, AgreesWithDirectConvolution) {
  const LossLaw law = loss_law(PoissonSampledEvent{0.2, 0.5}, Side::remove);
  const double step = 0.01;
  const LossGrid grid = discretise(law, {step}, range_of(law, {1e-9, 1e-9}));
  std::map<std::int64_t, double> sum{{0, 1.0}};
  for (int times = 0; times < 3; ++times) {
    std::map<std::int64_t, double> next;
    for (const auto& [at, mass] : sum) {
      for (std::size_t i = 0; i < grid.upper.size(); ++i) {
        next[at + grid.first + static_cast<std::int64_t>(i)] += mass * grid.upper[i];
      }
    }
    sum = std::move(next);
  }
  double direct = 3 * grid.infinite_upper;
  for (const auto& [at, mass] : sum) {
    const double loss = static_cast<double>(at) * step;
    if (loss > 1) direct -= mass * std::expm1(1 - loss);
  }
  const Bound bound = pld_delta(repeat(PoissonSampledEvent{0.2, 0.5}, 3), kAddRemove, 1);
  EXPECT_NEAR(bound.upper, direct, 2e-4 * direct);
  EXPECT_NEAR(bound.upper, 0.155932776, 1e-4);  // published, checked independently
}

TEST(AccountantPld, ExtendedAndUsualArithmeticAgree) {
  const LossLaw law = loss_law(PoissonSampledEvent{0.05, 0.8}, Side::remove);
  const GridTerm term{discretise(law, {1e-2}, range_of(law, {1e-25, 1e-25})), 200};
  SumPlan plan{.tilt = 1.5, .low = -4000, .points = 8192, .above = 1, .below = 1};
  const LossSum usual(std::span(&term, 1), plan);
  plan.extended = true;
  const LossSum extended(std::span(&term, 1), plan);
  for (const double delta : {1e-3, 1e-6, 1e-9}) {
    const double wide = usual.epsilon_upper(delta), narrow = extended.epsilon_upper(delta);
    EXPECT_LT(narrow, wide) << delta;
    EXPECT_NEAR(narrow, wide, 1e-7) << delta;
    EXPECT_GT(extended.epsilon_lower(delta), usual.epsilon_lower(delta)) << delta;
  }
}

TEST(AccountantPld, NoMassIsFartherOffThanTheLargestError) {
  const LossLaw law = loss_law(PoissonSampledEvent{0.01, 0.9}, Side::remove);
  for (const std::uint64_t count : {1, 7, 8, 1000, 100000}) {
    const double step = 2e-4 * std::sqrt(static_cast<double>(count)), tilt = 12 / std::sqrt(static_cast<double>(count));
    const GridTerm term{discretise(law, {step}, range_of(law, {1e-25, 1e-25})), count};
    const SumPlan plan{.tilt = tilt, .low = -8192, .points = 1 << 15, .above = 1, .below = 1};
    const std::span<const GridTerm> terms(&term, 1);
    const ComposedSums usual = compose<double>(terms, plan), extended = compose<long double>(terms, plan);
    const auto mass = [&](const SumHalf& half, std::size_t i) {
      return half.decaying[i] - std::exp(-(tilt + 1) * step) * half.decaying[i + 1];
    };
    double worst = 0;
    for (std::size_t i = 0; i < plan.points; ++i) {
      worst = std::max(worst, std::fabs(mass(usual.upper, i) - mass(extended.upper, i)));
      worst = std::max(worst, std::fabs(mass(usual.lower, i) - mass(extended.lower, i)));
    }
    const double bound = std::min(usual.upper.largest_error, usual.lower.largest_error);
    EXPECT_LE(worst, bound + 1e-15) << count;
    if (count >= 1000) {
      EXPECT_LT(bound, usual.upper.mass_error / 3) << count << ": the spectrum is narrow";
    }
  }
}

TEST(AccountantPld, StandardCases) {
  const auto epsilon = [](double rate, double noise, std::uint64_t steps, double delta, Relation relation) {
    return pld_epsilon(repeat(PoissonSampledEvent{rate, noise}, steps), relation, delta, 2e-5);
  };
  expect_bracket(epsilon(0.01, 1, 1000, 1e-5, kAddRemove), 1.828237, 5e-5, "add_remove");
  expect_bracket(epsilon(0.01, 1, 1000, 1e-5, kReplace), 2.843443, 5e-5, "replace_one");
  EXPECT_NEAR(epsilon(0.01, 0.7, 1000, 1e-5, kAddRemove).upper, 4.618289, 1e-4);
  EXPECT_NEAR(epsilon(0.001, 1, 10000, 1e-5, kAddRemove).upper, 0.475764, 1e-4);
  EXPECT_NEAR(epsilon(0.1, 2, 1000, 1e-5, kAddRemove).upper, 8.279291, 1e-4);
  EXPECT_NEAR(epsilon(0.01, 1, 1, 1e-5, kAddRemove).upper, 0.19945, 1e-4);
}

TEST(AccountantPld, GapsAreBelowTheAskedPrecision) {
  for (const Event& event :
       {repeat(PoissonSampledEvent{0.01, 1}, 10000), repeat(PoissonSampledEvent{0.001, 0.6}, 10000),
        repeat(FixedSizeSampledEvent{0.01, 1.5}, 500), repeat(ExponentialEvent{0.2}, 50),
        sequence({GaussianEvent{0.3}, repeat(PureEvent{0.1}, 10), ExponentialEvent{0.4}})}) {
    for (const double delta : {1e-3, 1e-6, 1e-12}) {
      const Bound bound = pld_epsilon(event, kReplace, delta);
      EXPECT_LE(bound.upper - bound.lower, 1e-3 * bound.upper) << event_text(event) << " " << delta;
    }
  }
}

TEST(AccountantPld, GapsAreBelowTheAskedPrecisionForRareRowsToo) {
  struct Row {
    Event event;
    Relation relation;
    double delta;
  };
  const Row rows[] = {{repeat(PoissonSampledEvent{1e-6, 1}, 1000), kAddRemove, 1e-5},
                      {repeat(PoissonSampledEvent{1e-6, 1}, 1000), kReplace, 1e-5},
                      {repeat(PoissonSampledEvent{1e-6, 2}, 10000), kAddRemove, 1e-6},
                      {repeat(PoissonSampledEvent{1e-5, 1}, 1000000), kAddRemove, 1e-5},
                      {repeat(PoissonSampledEvent{1e-5, 1}, 1000000), kReplace, 1e-5},
                      {repeat(PoissonSampledEvent{1e-4, 0.3}, 10000), kAddRemove, 1e-6},
                      {repeat(PoissonSampledEvent{1e-4, 0.3}, 10000), kReplace, 1e-6},
                      {repeat(FixedSizeSampledEvent{1e-5, 1}, 10000), kReplace, 1e-6},
                      // Mass on one point, cells of the bulk that are few, and tilts far below 1.
                      {repeat(PoissonSampledEvent{1e-6, 0.5}, 100000), kAddRemove, 1e-8},
                      {repeat(PoissonSampledEvent{7e-5, 0.68}, 126523), kAddRemove, 1e-11},
                      {repeat(PoissonSampledEvent{5.4e-4, 0.595}, 265780), kAddRemove, 1.3e-5},
                      {repeat(PoissonSampledEvent{0.6, 0.53}, 610417), kReplace, 1e-6},
                      // The bulk many steps from 0, and deltas that the rounding of a transform reaches.
                      {repeat(PoissonSampledEvent{0.0013057436, 0.3531}, 647500), kReplace, 3.4e-10},
                      {repeat(PoissonSampledEvent{8.43e-4, 0.357}, 899994), kAddRemove, 8e-11},
                      {repeat(PoissonSampledEvent{3.06e-5, 0.724}, 103157), kAddRemove, 1.6e-11},
                      {repeat(PoissonSampledEvent{1e-6, 1}, 1000000), kAddRemove, 1e-12}};
  for (const Row& row : rows) {
    const Bound bound = pld_epsilon(row.event, row.relation, row.delta);
    EXPECT_GT(bound.lower, 0) << event_text(row.event);
    EXPECT_LE(bound.upper - bound.lower, 1e-3 * bound.upper) << event_text(row.event);
  }
}

TEST(AccountantPld, IsNeverAboveRdpWherePairsAreAttained) {
  for (const Event& event : {repeat(PoissonSampledEvent{0.02, 0.9}, 300), repeat(FixedSizeSampledEvent{0.02, 2}, 300),
                             repeat(ScalarLaplaceEvent{0.1}, 40), repeat(PureEvent{0.1}, 40)}) {
    EXPECT_LE(pld_epsilon(event, kReplace, 1e-6).upper, rdp_epsilon(event, kReplace, 1e-6).value * 1.001);
  }
}

TEST(AccountantPld, NothingFiniteHoldsWhereDeltaIsSpent) {
  EXPECT_TRUE(std::isinf(pld_epsilon(repeat(ApproximateEvent{0.1, 1e-6}, 100), kReplace, 1e-5).upper));
  EXPECT_GE(pld_delta(repeat(ApproximateEvent{0.1, 1e-6}, 100), kReplace, 1e5).upper, 1e-4 * (1 - 1e-3));
  EXPECT_EQ(pld_epsilon(sequence({}), kReplace, 1e-5).upper, 0);
}

TEST(AccountantPld, RefusesWhatHasNoPairAndSaysWhy) {
  EXPECT_THROW(pld_epsilon(DiscreteGaussianEvent{0.1}, kReplace, 1e-5), Error);
  EXPECT_THROW(pld_epsilon(FixedSizeSampledEvent{0.1, 1}, kAddRemove, 1e-5), Error);
  EXPECT_THROW(pld_epsilon(WithReplacementEvent{0.1, 1, 2}, kReplace, 1e-5), Error);
  EXPECT_THROW(pld_epsilon(select_best(PureEvent{1}, PoissonRuns{5}), kReplace, 1e-5), Error);
  EXPECT_THROW(pld_epsilon(PureEvent{1}, kReplace, 0), Error);
}

}  // namespace
}  // namespace sotto
