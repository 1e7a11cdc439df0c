// Calibration: grids, scales against independent values, composition over passes, delta_num, refusals.
#include <gtest/gtest.h>

#include <cmath>

#include "refusals.h"
#include "sotto/base/error.h"
#include "sotto/privacy/mechanism.h"
#include "sotto/random/grid_noise.h"

namespace sotto {
namespace {

double scale_of(const Calibrated& c) {
  return std::visit([](const auto& m) { return m.scale(); }, c.mechanism);
}
double grid_sensitivity(const Calibrated& c) { return base_of(c.mechanism).grid.sensitivity; }

TEST(Grid, IsTheLargestPowerOfTwoThatFits) {
  for (const double delta : {1e-9, 0.02, 1.0, 1024.0, 3e8}) {
    for (const std::size_t d : {1, 2, 5, 100, 99999}) {
      const double root = std::sqrt(static_cast<double>(d));
      const Grid grid = make_grid(delta, d);
      int exponent = 0;
      EXPECT_EQ(std::frexp(grid.step, &exponent), 0.5);
      EXPECT_LE(grid.step * 1024 * root, delta * (1 + 1e-15));
      EXPECT_GT(2 * grid.step * 1024 * root, delta * (1 - 1e-15));
      EXPECT_GE(grid.sensitivity, delta + grid.step * root);
      EXPECT_LE(grid.sensitivity, (delta + grid.step * root) * (1 + 1e-14));
    }
  }
  EXPECT_EQ(make_grid(1024, 1).step, 1);
  EXPECT_EQ(make_grid(std::nextafter(1024.0, 0), 1).step, 0.5);
}

TEST(Grid, RefusesASensitivityThatIsNotPositiveAndFinite) {
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_REFUSED(invalid_argument, "l2_sensitivity", make_grid(bad, 3));
  }
  EXPECT_REFUSED(invalid_argument, "features", make_grid(1, 0));
}

TEST(Mechanism, L2LaplaceHasScaleSensitivityOverEpsilon) {
  for (const double epsilon : {0.01, 1.0, 8.0}) {
    const Calibrated c = calibrate(MechanismChoice::l2_laplace, {0.02, 5, 1, 1}, {.epsilon = epsilon});
    EXPECT_GE(scale_of(c), grid_sensitivity(c) / epsilon);
    EXPECT_LE(scale_of(c), 0.02 * (1 + 1.0 / 1024) / epsilon * (1 + 1e-12));
    EXPECT_GE(scale_of(c), 0.02 / epsilon);
    EXPECT_EQ(c.epsilon, epsilon);
    EXPECT_EQ(c.delta, c.delta_num);
    const auto& noise = std::get<L2LaplaceNoise>(c.mechanism);
    EXPECT_DOUBLE_EQ(noise.stddev(), noise.scale() * std::sqrt(6.0));  // E|z|^2 = d (d + 1) scale^2
  }
}

TEST(Mechanism, DeltaNumIsThatOfEveryDraw) {
  const std::size_t d = 5;
  const double tau = d * (4 * 0x1p-70 + 0x1p-100);
  EXPECT_NEAR(grid_noise_distance(d), tau, 1e-12 * tau);
  for (const std::uint64_t parts : {1, 200}) {
    const Calibrated c = calibrate(MechanismChoice::l2_laplace, {1, d, 3, parts}, {.epsilon = 2});
    const double expected = (1 + std::exp(2.0)) * tau * 3 * static_cast<double>(parts);
    EXPECT_GE(c.delta_num, expected);
    EXPECT_LE(c.delta_num, expected * (1 + 1e-10));
  }
}

TEST(Mechanism, GaussianHasTheExactStandardDeviation) {
  // mu from mpmath, as in privacy_gaussian_test: mu(1, 1e-5) = 0.26805112321129422.
  const Calibrated c = calibrate(MechanismChoice::gaussian, {0.5, 7, 1, 1}, {.epsilon = 1, .delta = 1e-5});
  const double sigma = grid_sensitivity(c) / 0.26805112321129422;
  EXPECT_GE(scale_of(c), sigma);
  EXPECT_LE(scale_of(c), sigma * (1 + 1e-10));
  EXPECT_LE(c.delta, 1e-5);
  EXPECT_GE(c.delta, 1e-5 * (1 - 1e-10));
}

TEST(Mechanism, PassesComposeAndPartsDoNot) {
  const Budget pure{.epsilon = 1}, approximate{.epsilon = 1, .delta = 1e-6};
  const auto scale = [](MechanismChoice choice, std::uint64_t times, std::uint64_t parts, const Budget& budget) {
    return scale_of(calibrate(choice, {1, 4, times, parts}, budget));
  };
  for (const MechanismChoice choice : {MechanismChoice::l2_laplace, MechanismChoice::discrete_laplace}) {
    const double once = scale(choice, 1, 1, pure);
    EXPECT_NEAR(scale(choice, 5, 1, pure), 5 * once, 1e-9 * once);
    EXPECT_NEAR(scale(choice, 5, 100, pure), 5 * once, 1e-9 * once);
  }
  for (const MechanismChoice choice : {MechanismChoice::gaussian, MechanismChoice::discrete_gaussian}) {
    const double once = scale(choice, 1, 1, approximate);
    EXPECT_NEAR(scale(choice, 5, 1, approximate), std::sqrt(5.0) * once, 1e-9 * once);
    EXPECT_NEAR(scale(choice, 5, 100, approximate), std::sqrt(5.0) * once, 1e-9 * once);
  }
}

TEST(Mechanism, DiscreteOnesHaveTheirScalesAndNoNumericalDelta) {
  const Calibrated laplace = calibrate(MechanismChoice::discrete_laplace, {2, 9, 1, 1}, {.epsilon = 0.5});
  EXPECT_NEAR(scale_of(laplace), 3 * grid_sensitivity(laplace) / 0.5, 1e-12 * scale_of(laplace));
  EXPECT_EQ(laplace.delta, 0);
  EXPECT_EQ(laplace.delta_num, 0);
  // rho(1, 1e-6) = 0.024355970359538373 by mpmath: sigma = Delta' / sqrt(2 rho).
  const Calibrated gauss = calibrate(MechanismChoice::discrete_gaussian, {2, 9, 1, 1}, {.epsilon = 1, .delta = 1e-6});
  const double sigma = grid_sensitivity(gauss) / std::sqrt(2 * 0.024355970359538373);
  EXPECT_GE(scale_of(gauss), sigma);
  EXPECT_LE(scale_of(gauss), sigma * (1 + 1e-9));
  EXPECT_EQ(gauss.delta_num, 0);
  EXPECT_LE(gauss.delta, 1e-6);
}

/// The empirical standard deviation of one coordinate, in natural units.
double measured_stddev(const Calibrated& c, int draws) {
  BitSource bits(ReproducibleSeed{5});
  const NoiseBase& base = base_of(c.mechanism);
  std::vector<std::int64_t> noise(base.dimension);
  double squares = 0;
  for (int i = 0; i < draws; ++i) {
    std::visit([&](const auto& m) { m.draw(bits, noise); }, c.mechanism);
    for (const std::int64_t k : noise) squares += static_cast<double>(k) * static_cast<double>(k);
  }
  return base.grid.step * std::sqrt(squares / draws / static_cast<double>(base.dimension));
}

TEST(Mechanism, TheNoiseDrawnHasTheStandardDeviationItStates) {
  for (const MechanismChoice choice : {MechanismChoice::l2_laplace, MechanismChoice::gaussian,
                                       MechanismChoice::discrete_laplace, MechanismChoice::discrete_gaussian}) {
    const Calibrated c = calibrate(choice, {0.3, 3, 1, 1}, {.epsilon = 1, .delta = 1e-6});
    const double stated = std::visit([](const auto& m) { return m.stddev(); }, c.mechanism);
    EXPECT_NEAR(measured_stddev(c, 20000) / stated, 1, 0.02)
        << enum_names(choice)[static_cast<std::size_t>(choice)].first;
  }
}

TEST(Mechanism, AutomaticFollowsDelta) {
  const ReleaseShape shape{1, 3, 1, 1};
  const auto kind = [&](const Budget& budget) {
    return name_of(calibrate(MechanismChoice::automatic, shape, budget).mechanism);
  };
  EXPECT_EQ(kind({.epsilon = 1}), "l2_laplace");
  EXPECT_EQ(kind({.epsilon = 1, .delta = 1e-9}), "gaussian");
  EXPECT_EQ(kind({.epsilon = 100}), "discrete_laplace");  // the numerical delta of l2_laplace would be too large
}

TEST(Mechanism, TheMechanismNamesTheEventThatIsCharged) {
  const Calibrated c = calibrate(MechanismChoice::gaussian, {1, 3, 2, 7}, {.epsilon = 1, .delta = 1e-6});
  EXPECT_EQ(std::get<GaussianEvent>(c.charge().event).mu, std::get<GaussianNoise>(c.mechanism).mu);
  EXPECT_EQ(c.charge().times, 2U);
  EXPECT_EQ(c.charge().parts, 7U);
  EXPECT_EQ(c.charge().draws(), 14U);
}

TEST(Mechanism, WhatIsChargedFollowsAMechanismThatIsChanged) {
  Calibrated c = calibrate(MechanismChoice::gaussian, {1, 3, 2, 7}, {.epsilon = 1, .delta = 1e-6});
  std::get<GaussianNoise>(c.mechanism).mu *= 2;
  EXPECT_EQ(c.charge().event, event_of(c.mechanism)) << "less noise costs more, at once";
}

TEST(Mechanism, BudgetsOutOfRangeNameTheirField) {
  const ReleaseShape shape{1, 3, 1, 1};
  const auto attempt = [&](const Budget& budget, MechanismChoice choice = MechanismChoice::automatic) {
    return [&shape, budget, choice] { calibrate(choice, shape, budget); };
  };
  for (const double bad : {0.0, -1.0, 1e5, std::nan(""), HUGE_VAL})
    EXPECT_REFUSED(invalid_argument, "epsilon", attempt({.epsilon = bad})());
  for (const double bad : {-0.1, 0.5, 1e-301, std::nan("")})
    EXPECT_REFUSED(invalid_argument, "delta", attempt({.epsilon = 1, .delta = bad})());
  EXPECT_REFUSED(invalid_argument, "delta", attempt({.epsilon = 1}, MechanismChoice::gaussian)());
  EXPECT_REFUSED(invalid_argument, "delta", attempt({.epsilon = 1}, MechanismChoice::discrete_gaussian)());
  EXPECT_REFUSED(invalid_argument, "delta",
                 attempt({.epsilon = 1, .delta = 1e-25}, MechanismChoice::gaussian)());  // below 2 delta_num
  EXPECT_REFUSED(invalid_argument, "mechanism", attempt({.epsilon = 100}, MechanismChoice::l2_laplace)());
  EXPECT_REFUSED(invalid_argument, "epsilon",
                 attempt({.epsilon = 1e-12}, MechanismChoice::l2_laplace)());  // too large for its grid
  EXPECT_REFUSED(invalid_argument, "epsilon",
                 attempt({.epsilon = 1e-7, .delta = 1e-12}, MechanismChoice::discrete_gaussian)());
}

TEST(Mechanism, NoiseThatWouldNotBeExactOnItsGridIsRefused) {
  // In many dimensions a coordinate of L2-Laplace noise is sqrt(d) times its scale.
  const ReleaseShape wide{1, 1000000, 1, 1};
  const auto calibrated = calibrate(MechanismChoice::l2_laplace, wide, {.epsilon = 1e-4});
  const auto& noise = std::get<L2LaplaceNoise>(calibrated.mechanism);
  EXPECT_LE(noise.stddev() / noise.grid.step, 0x1p45);
  EXPECT_REFUSED(invalid_argument, "epsilon", calibrate(MechanismChoice::l2_laplace, wide, {.epsilon = 2e-5}));
}

TEST(Event, PureEventsAddUpAndExceedingPromisesNothing) {
  const Charge charges[] = {{L2LaplaceEvent{0.25}, 2, 10}, {DiscreteLaplaceEvent{0.5}, 1, 1}};
  EXPECT_EQ(composed_delta(charges, 1.0), 0);
  EXPECT_EQ(composed_delta(charges, 0.99), 1);
}

// Budgets at which a rho that is smaller by a rounding had a delta that was larger by one.
TEST(Mechanism, DiscreteGaussianNoiseRecomputesToEveryBudget) {
  const struct {
    double epsilon, delta;
    std::uint64_t times;
  } cases[] = {{0.062052602410809121, 8.5015869318743677e-06, 29}, {1.2349233432640607, 0.0018620871366628656, 36},
               {0.054175134723134677, 0.0055475343495176863, 2},   {0.12340132537645724, 2.8589068155119553e-08, 12},
               {1.9671614271380009, 0.00071449632607551198, 7},    {0.32018427582027786, 3.4001650580407061e-12, 25}};
  for (const auto& [epsilon, delta, times] : cases) {
    const Calibrated c =
        calibrate(MechanismChoice::discrete_gaussian, {1, 5, times, 1}, {.epsilon = epsilon, .delta = delta});
    EXPECT_LE(c.delta, delta);
    EXPECT_GE(c.delta, delta * (1 - 1e-9));
  }
}

TEST(Event, GaussianEventsAddTheirSquares) {
  const Charge charges[] = {{GaussianEvent{0.3}, 5, 100}, {GaussianEvent{0.4}, 1, 1}};
  const Charge one[] = {{GaussianEvent{std::sqrt(5 * 0.09 + 0.16)}, 1, 1}};
  EXPECT_NEAR(composed_delta(charges, 1), composed_delta(one, 1), 1e-15);
}

TEST(Event, ZcdpEventsAddUp) {
  const Charge charges[] = {{DiscreteGaussianEvent{0.01}, 3, 4}};
  const Charge one[] = {{DiscreteGaussianEvent{0.03}, 1, 1}};
  EXPECT_NEAR(composed_delta(charges, 1), composed_delta(one, 1), 1e-15);
}

TEST(Event, KindsThatNeedAnotherAccountantAreRefused) {
  const Charge charges[] = {{GaussianEvent{0.3}, 1, 1}, {L2LaplaceEvent{0.1}, 1, 1}};
  EXPECT_THROW(composed_delta(charges, 1), Error);
}

}  // namespace
}  // namespace sotto
