// Laws every loss of the scores of all classes obeys, and the constants of joint one-against-rest models. The catalogue
// is walked, so that a new loss is covered by being listed.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "sotto/base/catalog.h"
#include "sotto/losses/loss.h"

namespace sotto {
namespace {

using Scores = std::vector<double>;

template <class Visit>
void for_each_class_loss(const Visit& visit) {
  for_each_member<Loss>([&](auto tag) {
    using L = typename decltype(tag)::type;
    if constexpr (ClassLoss<L>) visit(L{});
  });
}

Scores random_scores(std::mt19937_64& random, std::size_t classes, double reach) {
  std::uniform_real_distribution<double> uniform(-reach, reach);
  Scores scores(classes);
  for (double& s : scores) s = uniform(random);
  return scores;
}

template <class L>
Scores slopes_of(const L& loss, const Scores& scores, std::size_t label) {
  Scores slopes(scores.size());
  loss.slopes(scores.data(), scores.size(), label, slopes.data());
  return slopes;
}

double length(const Scores& v) {
  double squares = 0;
  for (const double x : v) squares += x * x;
  return std::sqrt(squares);
}

Scores moved(const Scores& from, double by, const Scores& direction) {
  Scores to = from;
  for (std::size_t k = 0; k < to.size(); ++k) to[k] += by * direction[k];
  return to;
}

TEST(ClassLossLaws, SlopesAreTheDerivativesOfTheValue) {
  std::mt19937_64 random(1);
  for_each_class_loss([&](const auto& loss) {
    for (const std::size_t classes : {2U, 3U, 10U}) {
      for (int i = 0; i < 200; ++i) {
        const Scores scores = random_scores(random, classes, i % 2 == 0 ? 3 : 20);
        const std::size_t label = random() % classes;
        const Scores slopes = slopes_of(loss, scores, label);
        for (std::size_t k = 0; k < classes; ++k) {
          const double h = 1e-5;
          Scores up = scores, down = scores;
          up[k] += h;
          down[k] -= h;
          const double difference =
              (loss.value(up.data(), classes, label) - loss.value(down.data(), classes, label)) / (2 * h);
          EXPECT_NEAR(slopes[k], difference, 1e-8) << loss.kName;
        }
      }
    }
  });
}

TEST(ClassLossLaws, TheValueIsConvexAndNotNegative) {
  std::mt19937_64 random(2);
  for_each_class_loss([&](const auto& loss) {
    for (int i = 0; i < 3000; ++i) {
      const std::size_t classes = 2 + random() % 9;
      const Scores a = random_scores(random, classes, 15), b = random_scores(random, classes, 15);
      Scores middle(classes);
      for (std::size_t k = 0; k < classes; ++k) middle[k] = (a[k] + b[k]) / 2;
      const std::size_t label = random() % classes;
      const auto value = [&](const Scores& s) { return loss.value(s.data(), classes, label); };
      EXPECT_GE(value(a), 0);
      EXPECT_LE(value(middle), (value(a) + value(b)) / 2 + 1e-12);
    }
  });
}

TEST(ClassLossLaws, EverythingIsFiniteAtAnyScore) {
  for_each_class_loss([&](const auto& loss) {
    for (const double big : {1e4, 1e300}) {
      for (const Scores& scores : {Scores{big, 0, -big}, Scores{-big, -big, -big}, Scores{big, big, big}}) {
        for (std::size_t label = 0; label < 3; ++label) {
          EXPECT_TRUE(std::isfinite(loss.value(scores.data(), 3, label)));
          for (const double slope : slopes_of(loss, scores, label)) EXPECT_LE(std::abs(slope), 1);
        }
      }
    }
  });
}

TEST(ClassLossLaws, SlopesAreThoseOfARowWhateverTheScores) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity(),
                   kNone = std::numeric_limits<double>::quiet_NaN();
  for_each_class_loss([&](const auto& loss) {
    for (const double odd : {kNone, kInfinite, -kInfinite}) {
      for (const Scores& scores : {Scores{odd, 0, 1}, Scores{0, odd, 1}, Scores{odd, odd, 0}, Scores{odd, odd, odd}}) {
        for (std::size_t label = 0; label < 3; ++label) {
          double squares = 0;
          for (const double slope : slopes_of(loss, scores, label)) squares += slope * slope;
          EXPECT_LE(squares, 2 * (1 + 1e-15)) << odd;
        }
      }
    }
  });
}

TEST(ClassLossLaws, TheGradientBoundIsNeverExceededAndAttained) {
  std::mt19937_64 random(3);
  for_each_class_loss([&](const auto& loss) {
    for (const double norm : {0.5, 1.0, 3.0}) {
      const LossConstants c = loss.constants(norm);
      double longest = 0;
      for (int i = 0; i < 20000; ++i) {
        const std::size_t classes = 2 + random() % 9;
        const Scores scores = random_scores(random, classes, i % 2 == 0 ? 2 : 100);
        longest = std::max(longest, norm * length(slopes_of(loss, scores, random() % classes)));
      }
      EXPECT_LE(longest, c.lipschitz * (1 + 1e-12));
      EXPECT_GE(longest, 0.9999 * c.lipschitz) << loss.kName;
      EXPECT_EQ(c.diameter_add_remove, c.lipschitz);
    }
  });
}

/// |grad l(w; x, c) - grad l(w; x', c')| for two rows in the plane.
template <class L>
double gradient_gap(const L& loss, const std::vector<Scores>& w, const Scores (&x)[2], const std::size_t (&label)[2]) {
  Scores slopes[2];
  for (int i = 0; i < 2; ++i) {
    Scores scores;
    for (const Scores& wk : w) scores.push_back(wk[0] * x[i][0] + wk[1] * x[i][1]);
    slopes[i] = slopes_of(loss, scores, label[i]);
  }
  double squares = 0;
  for (std::size_t k = 0; k < w.size(); ++k) {
    for (int j = 0; j < 2; ++j) squares += std::pow(slopes[0][k] * x[0][j] - slopes[1][k] * x[1][j], 2);
  }
  return std::sqrt(squares);
}

TEST(ClassLossLaws, TheDiameterIsNeverExceededAndApproached) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> angle(0, 6.283185307179586);
  for_each_class_loss([&](const auto& loss) {
    const double diameter = loss.constants(1).diameter_replace_one;
    for (const std::size_t classes : {2U, 3U, 10U}) {
      double widest = 0;
      for (int i = 0; i < 20000; ++i) {
        std::vector<Scores> w;
        for (std::size_t k = 0; k < classes; ++k) w.push_back(random_scores(random, 2, i % 2 == 0 ? 1 : 200));
        const double a = angle(random), b = i % 3 == 0 ? a + 3.1 : angle(random);
        const Scores x[2] = {{std::cos(a), std::sin(a)}, {std::cos(b), std::sin(b)}};
        const std::size_t label[2] = {random() % classes, random() % classes};
        widest = std::max(widest, gradient_gap(loss, w, x, label));
      }
      // Certain of class 0 on one side of an axis: rows of class 1 almost across it, in opposite directions.
      std::vector<Scores> w(classes, Scores{0, 0});
      w[0] = {1e6, 0};
      const double c = 0.01, s = std::sqrt(1 - c * c);
      const Scores x[2] = {{c, s}, {c, -s}};
      const std::size_t label[2] = {1, 1};
      const double across = gradient_gap(loss, w, x, label);
      EXPECT_LE(std::max(widest, across), diameter * (1 + 1e-12));
      EXPECT_GE(across, 0.999 * diameter) << loss.kName;
    }
  });
}

TEST(ClassLossLaws, TheSmoothnessIsNeverExceededAndAttained) {
  std::mt19937_64 random(6);
  for_each_class_loss([&](const auto& loss) {
    const double beta = loss.constants(1).smoothness;
    double steepest = 0;
    for (int i = 0; i < 20000; ++i) {
      const std::size_t classes = 2 + random() % 9;
      const Scores at = random_scores(random, classes, i % 2 == 0 ? 1 : 8);
      Scores direction = random_scores(random, classes, 1);
      const double size = length(direction);
      for (double& d : direction) d /= size;
      const double h = 1e-4;
      const Scores ahead = slopes_of(loss, moved(at, h, direction), 0), behind = slopes_of(loss, at, 0);
      Scores change(classes);
      for (std::size_t k = 0; k < classes; ++k) change[k] = (ahead[k] - behind[k]) / h;
      steepest = std::max(steepest, length(change));
    }
    const double r = std::sqrt(0.5), h = 1e-4;
    const Scores ahead = slopes_of(loss, Scores{h * r, -h * r}, 0), behind = slopes_of(loss, Scores{0, 0}, 0);
    const double attained = std::hypot(ahead[0] - behind[0], ahead[1] - behind[1]) / h;
    EXPECT_LE(std::max(steepest, attained), beta * (1 + 1e-7));
    EXPECT_GE(attained, 0.999 * beta) << loss.kName;
  });
}

TEST(Softmax, HasTheConstantsOfTheSpecification) {
  for (const double norm : {0.5, 2.0}) {
    for (const std::uint32_t classes : {2U, 3U, 10U}) {
      const LossConstants c = constants_of(Softmax{}, norm, classes);
      EXPECT_NEAR(c.lipschitz, std::sqrt(2.0) * norm, 1e-12);
      EXPECT_NEAR(c.diameter_replace_one, 2 * std::sqrt(2.0) * norm, 1e-12);
      EXPECT_NEAR(c.diameter_add_remove, std::sqrt(2.0) * norm, 1e-12);
      EXPECT_NEAR(c.smoothness, norm * norm / 2, 1e-12);
    }
  }
}

TEST(OneAgainstTheRest, HasSqrtKTimesTheBoundsOfOneModelAndItsSmoothness) {
  for_each_member<Loss>([&](auto tag) {
    using L = typename decltype(tag)::type;
    if constexpr (MarginLoss<L>) {
      const LossConstants one = constants_of(L{}, 1.0);
      for (const std::uint32_t classes : {3U, 10U}) {
        const LossConstants all = constants_of(L{}, 1.0, classes);
        const double root = std::sqrt(static_cast<double>(classes));
        EXPECT_GE(all.lipschitz, root * one.lipschitz);
        EXPECT_NEAR(all.lipschitz, root * one.lipschitz, 1e-12);
        EXPECT_NEAR(all.diameter_replace_one, root * one.diameter_replace_one, 1e-12);
        EXPECT_NEAR(all.diameter_add_remove, root * one.diameter_add_remove, 1e-12);
        EXPECT_EQ(all.smoothness, one.smoothness);
      }
    }
  });
}

}  // namespace
}  // namespace sotto
