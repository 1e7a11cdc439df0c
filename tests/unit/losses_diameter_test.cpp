// How far apart gradients can be at weights of a known norm: never less than any pair found, close to the worst one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "sotto/losses/diameter.h"
#include "sotto/losses/loss.h"

namespace sotto {
namespace {

TEST(Diameter, OfLogisticGradientsEnclosesTheGridValues) {
  // The largest symmetric pair, and values certified independently on a grid with a Lipschitz margin.
  const double certified[][2] = {{0.5, 1.0310}, {1, 1.1012}, {2, 1.2724}, {5, 1.6211}, {10, 1.8268}, {20, 1.9376}};
  for (const auto& [reach, upper] : certified) {
    double symmetric = 0;
    for (double c = 0; c <= 1; c += 1e-4) {
      symmetric = std::max(symmetric, 2 * std::sqrt(1 - c * c) / (1 + std::exp(-reach * c)));
    }
    EXPECT_GE(logistic_diameter(reach), symmetric) << reach;
    EXPECT_LE(logistic_diameter(reach), 1.0011 * symmetric) << reach;
    EXPECT_LE(symmetric, upper);
  }
  EXPECT_NEAR(logistic_diameter(0), 1, 0.0011);
  EXPECT_GE(logistic_diameter(0), 1);
}

TEST(Diameter, NoPairOfAnglesIsFartherApartAtAnyReach) {
  // A grid of pairs that need not be mirror images, at many norms.
  constexpr int kAngles = 240;
  for (double reach = 0; reach <= 50; reach = reach * 1.15 + 0.01) {
    std::vector<double> x, y;
    for (int i = 0; i <= kAngles; ++i) {
      const double angle = 3.141592653589793 * i / kAngles, share = 1 / (1 + std::exp(reach * std::cos(angle)));
      x.push_back(share * std::cos(angle));
      y.push_back(share * std::sin(angle));
    }
    double widest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = i; j < x.size(); ++j) widest = std::max(widest, std::hypot(x[i] - x[j], y[i] + y[j]));
    }
    EXPECT_LE(widest, logistic_diameter(reach)) << reach;
    EXPECT_GE(widest, 0.998 * logistic_diameter(reach)) << reach;
  }
}

TEST(Diameter, NoPairOfLogisticRowsIsFartherApart) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(0, 1);
  for (const double reach : {0.0, 0.3, 1.0, 3.0, 8.0, 30.0}) {
    const double bound = logistic_diameter(reach);
    double widest = 0;
    for (int i = 0; i < 50000; ++i) {
      double g[2][3];
      for (auto& row : g) {
        double u[3], squares = 0;
        for (double& v : u) {
          v = normal(random);
          squares += v * v;
        }
        const double length = (i % 2 == 0 ? 1.0 : unit(random)) / std::sqrt(squares);
        for (double& v : u) v *= length;
        const double share = 1 / (1 + std::exp(reach * u[0]));
        for (int j = 0; j < 3; ++j) row[j] = share * u[j];
      }
      widest = std::max(widest, std::hypot(g[0][0] - g[1][0], g[0][1] - g[1][1], g[0][2] - g[1][2]));
    }
    EXPECT_LE(widest, bound) << reach;
    EXPECT_GE(widest, 0.9 * bound) << reach;
  }
}

TEST(Diameter, NoSoftmaxGradientIsLongerAndNoPairFartherApart) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  for (const std::uint32_t classes : {2U, 3U, 10U}) {
    for (const double reach : {0.0, 0.5, 2.0, 10.0}) {
      const LossConstants bound = constants_at(Softmax{}, 1.0, classes, reach);
      const LossConstants plain = constants_of(Softmax{}, 1.0, classes);
      double longest = 0;
      for (int i = 0; i < 20000; ++i) {
        // Scores of any direction, and the worst-looking ones: the class far below one or all others.
        std::vector<double> z(classes), slopes(classes);
        double squares = 0;
        for (double& v : z) {
          v = normal(random);
          squares += v * v;
        }
        const std::size_t label = random() % classes;
        if (i % 3 == 1) {
          std::fill(z.begin(), z.end(), 0.0);
          z[label] = -1;
          z[(label + 1) % classes] = 1;
          squares = 2;
        } else if (i % 3 == 2) {
          std::fill(z.begin(), z.end(), 1.0 / (classes - 1));
          z[label] = -1;
          squares = 1 + 1.0 / (classes - 1);
        }
        for (double& v : z) v *= reach / std::sqrt(squares);
        Softmax{}.slopes(z.data(), classes, label, slopes.data());
        double norm = 0;
        for (const double s : slopes) norm += s * s;
        longest = std::max(longest, std::sqrt(norm));
      }
      EXPECT_LE(longest, bound.lipschitz) << classes << " classes at " << reach;
      EXPECT_GE(longest, 0.7 * bound.lipschitz);
      EXPECT_LE(bound.lipschitz, plain.lipschitz);
      EXPECT_LE(bound.diameter_replace_one, plain.diameter_replace_one);
    }
  }
}

TEST(Diameter, IsNeverAboveThePlainConstantsAndNeverBelowTheFlatOnes) {
  for (const Loss& loss :
       {Loss(Logistic{}), Loss(HuberSvm{}), Loss(Hinge{}), Loss(Softmax{}), Loss(RobustLogistic{})}) {
    for (const std::uint32_t classes : {2U, 5U}) {
      double before = 0;
      for (const double norm : {0.0, 0.1, 1.0, 4.0, 20.0, 49.0, 51.0, 1e6}) {
        const LossConstants at = constants_at(loss, 1.0, classes, norm), plain = constants_of(loss, 1.0, classes);
        EXPECT_LE(at.lipschitz, plain.lipschitz);
        EXPECT_LE(at.diameter_add_remove, plain.diameter_add_remove);
        EXPECT_LE(at.diameter_replace_one, plain.diameter_replace_one);
        EXPECT_GE(at.diameter_replace_one, before * 0.994) << "larger weights never mean less, up to the search's gap";
        before = at.diameter_replace_one;
      }
    }
  }
  EXPECT_EQ(constants_at(HuberSvm{}, 1.0, 2, 0).diameter_replace_one, 2);
  EXPECT_NEAR(constants_at(Logistic{}, 1.0, 2, 0).diameter_add_remove, 0.5, 1e-5);
}

}  // namespace
}  // namespace sotto
