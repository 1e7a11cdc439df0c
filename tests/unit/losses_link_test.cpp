// The link of a fit with clipped slopes, against drawn rows, a descent on them, and its limits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "sotto/losses/link.h"

namespace sotto {
namespace {

double share(double x) { return 1 / (1 + std::exp(-x)); }

/// Margins of a normal law with labels of log odds `odds` times the margin.
struct Drawn {
  std::vector<double> margin, label;
  Drawn(std::size_t rows, double deviation, double odds) {
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal(0, deviation);
    std::uniform_real_distribution<double> uniform;
    for (std::size_t i = 0; i < rows; ++i) {
      margin.push_back(normal(random));
      label.push_back(uniform(random) < share(odds * margin.back()) ? 1 : -1);
    }
  }
  /// By how much scaling all margins up from `factor` times themselves would lower the mean clipped loss.
  double pull(double factor, double clip) const {
    double sum = 0;
    for (std::size_t i = 0; i < margin.size(); ++i) {
      const double own = label[i] * factor * margin[i];
      sum += own * std::min(clip, share(-own));
    }
    return sum / static_cast<double>(margin.size());
  }
};

TEST(Link, IsTheSigmoidUnlessToldOtherwise) {
  EXPECT_EQ(Link{}.log_odds(1.25), 1.25);
  EXPECT_EQ(Link{0.5}.log_odds(-3), -1.5);
}

TEST(Link, LabelsOfTheStationaryOddsLeaveMarginsWhereTheyAre) {
  for (const double clip : {0.1, 0.3, 0.5, 0.8}) {
    for (const double deviation : {1.0, 5.0}) {
      const double slope = stationary_slope({deviation, clip});
      const Drawn rows(400000, deviation, slope);
      // A hundred thousand draws of at most 5 clip: the mean is within a hundredth of that.
      EXPECT_NEAR(rows.pull(1, clip), 0, 0.01 * clip * deviation) << clip << " " << deviation;
    }
  }
}

TEST(Link, ADescentOnRowsOfKnownOddsEndsWhereTheLinkReadsThem) {
  const double clip = 0.3, odds = 1.5;
  const Drawn rows(200000, 1.0, odds);
  double low = 1e-3, high = 1e3;  // the factor at which the clipped loss is least: its pull falls through 0 there
  for (int i = 0; i < 60; ++i) {
    const double middle = std::sqrt(low * high);
    (rows.pull(middle, clip) > 0 ? low : high) = middle;
  }
  EXPECT_NEAR(stationary_slope({low, clip}) * low, odds, 0.05 * odds);
}

TEST(Link, ClippingNothingLeavesTheSigmoid) {
  for (const double deviation : {0.01, 1.0, 100.0}) {
    EXPECT_EQ(stationary_slope({deviation, 1}), 1);
    EXPECT_NEAR(stationary_slope({deviation, 0.9999999}), 1, 1e-3);
  }
}

TEST(Link, IsSteeperForWiderMarginsAndLooserClips) {
  double before = 0;
  for (const double deviation : {0.3, 1.0, 3.0, 10.0, 100.0}) {
    const double slope = stationary_slope({deviation, 0.3});
    EXPECT_GT(slope, before);
    EXPECT_LT(slope, stationary_slope({deviation, 0.5}));
    before = slope;
  }
  // Wide margins are flat near 0: the slope has a limit. There only rows whose odds are not clipped count.
  EXPECT_NEAR(stationary_slope({1e3, 0.3}), stationary_slope({1e4, 0.3}), 1e-3);
  EXPECT_GT(stationary_slope({1e-6, 0.3}), 0);
}

TEST(Link, TheCurvatureIsThatOfTheClippedLoss) {
  const double clip = 0.3, deviation = 2, slope = stationary_slope({deviation, clip});
  const Drawn rows(400000, deviation, slope);
  double sum = 0;
  for (std::size_t i = 0; i < rows.margin.size(); ++i) {
    const double pulls = share(-rows.label[i] * rows.margin[i]);
    sum += pulls < clip ? pulls * (1 - pulls) : 0;
  }
  EXPECT_NEAR(mean_curvature({deviation, clip}, slope), sum / static_cast<double>(rows.margin.size()), 1e-3);
  EXPECT_NEAR(mean_curvature({1e-3, 1}, 1), 0.25, 1e-4);
}

}  // namespace
}  // namespace sotto
